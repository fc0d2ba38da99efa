// SPDX-License-Identifier: Apache-2.0

package args

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/config"
)

// option is one of a generator's.
type option struct {
	name, since, until string // the version of controller-tools in which it came, and the one in which it was gone
	target             any    // as in field
	required           bool
}

// generatorSince are the versions in which generators came, after those that all have.
var generatorSince = map[string]string{"applyconfiguration": "v0.18.0", "schemapatch": "v0.2.1"}

// tagsSince is the version in which the flag for build tags came.
const tagsSince = "v0.18.0"

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
	header := func(h *config.GeneratedHeader, since string) []option {
		return []option{{name: "headerFile", since: since, target: &h.HeaderFile}, {name: "year", since: since, target: &h.Year}}
	}
	const manifests = "v0.12.0" // have headers since then
	switch generator {
	case "object":
		return header(&c.Object.GeneratedHeader, "")
	case "crd":
		g := c.CRD
		return append(header(&g.GeneratedHeader, manifests),
			option{name: "ignoreUnexportedFields", since: "v0.9.0", target: &g.IgnoreUnexportedFields},
			option{name: "allowDangerousTypes", since: "v0.4.0", target: &g.AllowDangerousTypes},
			option{name: "maxDescLen", target: &g.MaxDescLen},
			option{name: "crdVersions", since: "v0.2.3", target: &g.CRDVersions},
			option{name: "generateEmbeddedObjectMeta", since: "v0.6.0", target: &g.GenerateEmbeddedObjectMeta},
			option{name: "deprecatedV1beta1CompatibilityPreserveUnknownFields", since: "v0.15.0", target: &g.PreserveUnknownFieldsCompat},
			option{name: "omitToolVersion", since: "v0.23.0", target: &g.OmitToolVersion},
			option{name: "trivialVersions", until: "v0.7.0", target: &g.TrivialVersions},
			option{name: "preserveUnknownFields", since: "v0.2.4", until: "v0.7.0", target: &g.PreserveUnknownFields})
	case "rbac":
		return append([]option{{name: "roleName", target: &c.RBAC.RoleName, required: true}, {name: "fileName", since: "v0.18.0", target: &c.RBAC.FileName}},
			header(&c.RBAC.GeneratedHeader, manifests)...)
	case "webhook":
		return header(&c.Webhook.GeneratedHeader, manifests)
	case "applyconfiguration":
		return []option{
			{name: "headerFile", target: &c.ApplyConfiguration.HeaderFile},
			{name: "externalApplyConfigurations", since: "v0.21.0", target: &c.ApplyConfiguration.ExternalApplyConfigurations},
			{name: "omitToolVersion", since: "v0.23.0", target: &c.ApplyConfiguration.OmitToolVersion},
		}
	case "schemapatch":
		g := c.SchemaPatch
		return []option{
			{name: "manifests", target: &g.Manifests, required: true}, {name: "maxDescLen", target: &g.MaxDescLen},
			{name: "generateEmbeddedObjectMeta", since: "v0.6.0", target: &g.GenerateEmbeddedObjectMeta},
		}
	}
	return nil
}

// ErrRemoved is in the error of an option that a version no longer has: a call with one is of an older version, and was not run since.
var ErrRemoved = errors.New("which was removed")

// Check returns an error for a generator or an option that a version of controller-tools does not have. Of a version that is not
// a release nothing is known, so all are there.
func Check(c config.ControllerGenCall, version string) error {
	before := func(limit string) bool {
		return limit != "" && semver.IsValid(version) && semver.Compare(version, limit) < 0
	}
	lacks := func(what, since string) error {
		return fmt.Errorf("controller-gen %s has no %s; pin sigs.k8s.io/controller-tools %s or newer", version, what, since)
	}
	if len(c.BuildTags) > 0 && before(tagsSince) {
		return lacks("flag "+tagsFlag, tagsSince)
	}
	for _, name := range c.Generators() {
		if since := generatorSince[name]; before(since) {
			return lacks("generator "+name, since)
		}
		for _, o := range options(&c, name) {
			_, set := written(o.target)
			switch what := fmt.Sprintf("option %s:%s", name, o.name); {
			case set && before(o.since):
				return fmt.Errorf("%w, or leave the option out", lacks(what, o.since))
			case set && o.until != "" && semver.IsValid(version) && !before(o.until):
				return fmt.Errorf("controller-gen %s has no %s, %w in %s; leave the option out", version, what, ErrRemoved, o.until)
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

// bare are values that every version reads as they are: the older ones take digits for a number, and end a value at a colon.
var bare = regexp.MustCompile(`^([./@-]|[A-Za-z_]\w*([./@-]|$))+$|^[1-9]\d*$`)

func quote(value string) string {
	if bare.MatchString(value) {
		return value
	}
	return strconv.Quote(value)
}
