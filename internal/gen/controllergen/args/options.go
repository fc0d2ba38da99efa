// SPDX-License-Identifier: Apache-2.0

package args

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/config"
)

// option is one of a generator's.
type option struct {
	name, since string // the version of controller-tools in which it came
	target      any    // as in field
	required    bool
}

// generatorSince are the versions in which generators came, after those that all have.
var generatorSince = map[string]string{"applyconfiguration": "v0.18.0"}

// create puts a generator without options into a call.
func create(c *config.ControllerGenCall, generator string) {
	switch generator {
	case "object":
		c.Object = &config.ObjectGenerator{}
	case "crd":
		c.CRD = &config.CRDGenerator{}
	case "rbac":
		c.RBAC = &config.RBACGenerator{}
	case "webhook":
		c.Webhook = &config.WebhookGenerator{}
	case "applyconfiguration":
		c.ApplyConfiguration = &config.ApplyGenerator{}
	case "schemapatch":
		c.SchemaPatch = &config.SchemaPatchGenerator{}
	}
}

// options are those of a generator of a call.
func options(c *config.ControllerGenCall, generator string) []option {
	header := func(h *config.GeneratedHeader) []option {
		return []option{{"headerFile", "", &h.HeaderFile, false}, {"year", "", &h.Year, false}}
	}
	switch generator {
	case "object":
		return header(&c.Object.GeneratedHeader)
	case "crd":
		g := c.CRD
		return append(header(&g.GeneratedHeader),
			option{"ignoreUnexportedFields", "", &g.IgnoreUnexportedFields, false},
			option{"allowDangerousTypes", "", &g.AllowDangerousTypes, false},
			option{"maxDescLen", "", &g.MaxDescLen, false},
			option{"crdVersions", "", &g.CRDVersions, false},
			option{"generateEmbeddedObjectMeta", "", &g.GenerateEmbeddedObjectMeta, false},
			option{"deprecatedV1beta1CompatibilityPreserveUnknownFields", "v0.15.0", &g.PreserveUnknownFieldsCompat, false},
			option{"omitToolVersion", "v0.23.0", &g.OmitToolVersion, false})
	case "rbac":
		return append([]option{{"roleName", "", &c.RBAC.RoleName, true}, {"fileName", "v0.18.0", &c.RBAC.FileName, false}}, header(&c.RBAC.GeneratedHeader)...)
	case "webhook":
		return header(&c.Webhook.GeneratedHeader)
	case "applyconfiguration":
		return []option{
			{"headerFile", "", &c.ApplyConfiguration.HeaderFile, false},
			{"externalApplyConfigurations", "v0.21.0", &c.ApplyConfiguration.ExternalApplyConfigurations, false},
			{"omitToolVersion", "v0.23.0", &c.ApplyConfiguration.OmitToolVersion, false},
		}
	case "schemapatch":
		g := c.SchemaPatch
		return []option{{"manifests", "", &g.Manifests, true}, {"maxDescLen", "", &g.MaxDescLen, false}, {"generateEmbeddedObjectMeta", "", &g.GenerateEmbeddedObjectMeta, false}}
	}
	return nil
}

// Check returns an error for a generator or an option that a version of controller-tools does not have. Of a version that is not
// a release nothing is known, so all are there.
func Check(c config.ControllerGenCall, version string) error {
	lacks := func(since string) bool {
		return since != "" && semver.IsValid(version) && semver.Compare(version, since) < 0
	}
	for _, name := range c.Generators() {
		if since := generatorSince[name]; lacks(since) {
			return fmt.Errorf("controller-gen %s has no generator %s; pin sigs.k8s.io/controller-tools %s or newer", version, name, since)
		}
		for _, o := range options(&c, name) {
			if _, set := written(o.target); set && lacks(o.since) {
				return fmt.Errorf("controller-gen %s has no option %s:%s; pin sigs.k8s.io/controller-tools %s or newer, or leave the option out", version, name, o.name, o.since)
			}
		}
	}
	return nil
}

// Words are the words that controller-gen is to be called with, so that it does what a call says.
func Words(c config.ControllerGenCall) []string {
	var words []string
	if len(c.BuildTags) > 0 {
		words = append(words, tagsFlag+"="+strings.Join(c.BuildTags, ","))
	}
	for _, name := range c.Generators() {
		var set []string
		for _, o := range options(&c, name) {
			if value, is := written(o.target); is {
				set = append(set, o.name+"="+value)
			}
		}
		if len(set) > 0 {
			name += ":" + strings.Join(set, ",")
		}
		words = append(words, name)
	}
	for _, p := range c.Paths {
		words = append(words, "paths="+quote(p))
	}
	for _, name := range c.Generators() {
		switch dir := c.Output[name]; dir {
		case "":
		case config.OutputStdout:
			words = append(words, "output:"+name+":stdout")
		case config.OutputNone:
			words = append(words, "output:"+name+":none")
		default:
			words = append(words, "output:"+name+":dir="+quote(dir))
		}
	}
	return words
}

// written is the text of the value that a target has, if it has one.
func written(target any) (value string, set bool) {
	switch target := target.(type) {
	case *string:
		return quote(*target), *target != ""
	case *[]string:
		for i, s := range *target {
			if i > 0 {
				value += ","
			}
			value += quote(s)
		}
		return "{" + value + "}", len(*target) > 0
	case **bool:
		if *target != nil {
			return strconv.FormatBool(**target), true
		}
	case **int:
		if *target != nil {
			return strconv.Itoa(**target), true
		}
	}
	return "", false
}

// bare are values that every version reads as they are.
var bare = regexp.MustCompile(`^[A-Za-z0-9_./@:-]+$`)

func quote(value string) string {
	if bare.MatchString(value) {
		return value
	}
	return strconv.Quote(value)
}
