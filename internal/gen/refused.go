// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apifield "k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/crd"
	"github.com/crdctl/crdctl/internal/gen/calls"
	"github.com/crdctl/crdctl/internal/gen/gofield"
	"github.com/crdctl/crdctl/internal/gen/scan"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
)

// refusedCRDs runs the API server's own validation on the generated CRDs whose bytes differ from the disk, and returns
// what it has against them, one problem a line, at the Go field that it is about. Files that do not change were judged
// when they did.
func (g *generation) refusedCRDs(t *tree.Tree) []string {
	var problems []string
	for _, file := range t.Paths() {
		if g.called[file] != calls.Tool+" crd" && (g.settings.CRDs.Dir == "" || path.Dir(file) != path.Clean(g.settings.CRDs.Dir)) {
			continue
		}
		manifest, _ := t.Content(file) // it is one of its paths
		onDisk, err := safefs.ReadFile(filepath.Join(g.root, filepath.FromSlash(file)), safefs.MaxFile)
		if err == nil && bytes.Equal(onDisk, manifest) {
			continue
		}
		definition := &apiextv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(manifest, definition); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", file, err))
			continue
		}
		if definition.Kind != "CustomResourceDefinition" || definition.APIVersion != apiextv1.SchemeGroupVersion.String() {
			continue // the role may be in the same directory, and v1beta1 has other rules
		}
		for _, problem := range g.refusals(file, definition) {
			if !slices.Contains(problems, problem) { // the CRD may be in several files
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

// shownRefusals is how many refusals of a CRD are printed: a type that it has in many places is refused in each.
const shownRefusals = 5

// refusals are the lines about a CRD that the API server refuses.
func (g *generation) refusals(file string, definition *apiextv1.CustomResourceDefinition) (lines []string) {
	if definition.Name == "" {
		return []string{file + ": the API server refuses this CRD, which has no group; give the package of its type the marker +groupName"}
	}
	all := crd.Validate(definition)
	for _, refusal := range all[:min(len(all), shownRefusals)] {
		lines = append(lines, fmt.Sprintf("%s: the API server refuses CRD %s: %s", g.place(file, definition, refusal), definition.Name, textOf(refusal)))
	}
	if more := len(all) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("CRD %s is refused in %s", definition.Name, text.Count(more, "more place", "more places")))
	}
	return lines
}

// judge returns the refusals as an error in a project of crdctl's own scaffold, where nothing else completes the CRDs,
// and as notes elsewhere: kustomize patches, for example, may add what is missing.
func (g *generation) judge(t *tree.Tree) (notes []string, err error) {
	problems := g.refusedCRDs(t)
	if len(problems) == 0 || g.settings.Scaffold == nil {
		return problems, nil
	}
	return nil, errors.New(strings.Join(problems, "\n") + "\nfix the markers or the types that these come from")
}

// ruleError is what CEL has against a rule: the column, the message, and the rule with a caret below it.
var ruleError = regexp.MustCompile(`ERROR: <input>:\d+:(\d+): ([^\n]*)\n \| ([^\n]*)\n \| \.*\^`)

// textOf is a refusal on one line. A rule is printed by its detail only: its value is a struct.
func textOf(refusal *apifield.Error) string {
	text := refusal.Error()
	if strings.HasPrefix(fmt.Sprintf("%T", refusal.BadValue), "apiextensions.") {
		text = fmt.Sprintf("%s: %s: %s", refusal.Field, refusal.Type, refusal.Detail)
	}
	text = ruleError.ReplaceAllString(text, "$2, at column $1 of the rule $3")
	return strings.Join(strings.Fields(text), " ")
}

var (
	schemaOf = regexp.MustCompile(`^spec\.(?:versions\[(\d+)\]\.schema|validation)\.openAPIV3Schema`)
	property = regexp.MustCompile(`\bproperties\[([^\]]*)\]`)
)

// place is the Go field that a refusal is about, and the manifest where none is found.
func (g *generation) place(file string, definition *apiextv1.CustomResourceDefinition, refusal *apifield.Error) string {
	version, properties := 0, []string(nil)
	if m := schemaOf.FindStringSubmatch(refusal.Field); m != nil {
		version, _ = strconv.Atoi(m[1]) // empty where all versions have the same schema
		for _, p := range property.FindAllStringSubmatch(refusal.Field, -1) {
			properties = append(properties, p[1])
		}
	}
	if version >= len(definition.Spec.Versions) {
		return file
	}
	dirs := slices.Clone(g.plan.CRDDirs)
	if found, err := g.scan.Below("."); err == nil && g.called[file] != "" { // the packages of calls are not in the plan
		for _, p := range found {
			dirs = append(dirs, p.Dir)
		}
	}
	for _, dir := range dirs {
		if path.Base(dir) != definition.Spec.Versions[version].Name || !g.isGroup(dir, definition.Spec.Group) {
			continue
		}
		types, err := gofield.Parse(filepath.Join(g.root, filepath.FromSlash(dir)))
		if err != nil {
			continue
		}
		if at, ok := types.Position(definition.Spec.Names.Kind, properties); ok {
			return fmt.Sprintf("%s:%d:%d", path.Join(dir, filepath.Base(at.Filename)), at.Line, at.Column)
		}
	}
	return file
}

// isGroup reports whether the package in a directory is of the API group.
func (g *generation) isGroup(dir, group string) bool {
	found, err := g.scan.Below(dir)
	return err == nil && slices.ContainsFunc(found, func(p scan.Package) bool { return p.Dir == dir && slices.Contains(p.Groups, group) })
}
