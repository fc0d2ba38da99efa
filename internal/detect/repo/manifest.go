// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"bytes"
	"path"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Manifest is a file that begins with a CustomResourceDefinition.
type Manifest struct {
	Path, Dir string
	Version   string // of controller-gen, or crdctl; empty where something else made it
	Line      int
	Name      string // of the CRD: plural, dot, group
	Kind      string // of its objects; empty where it stands too far below
	Patch     bool   // whether it names no kind at all, as a kustomization's patch of a CRD
}

// Role is a role.yaml.
type Role struct {
	Path  string
	Names []string // of the roles in it
	Form  bool     // whether it has the form in which controller-gen writes it
}

var (
	crdKind    = lazyregexp.New(`(?m)^kind: ["']?CustomResourceDefinition["']?\s*$`)
	crdVersion = lazyregexp.New(`(?m)^\s+controller-gen\.kubebuilder\.io/version: (\S+)\s*$`)
	crdMeta    = lazyregexp.New(`(?m)^metadata:[ \t]*(?:#.*)?\r?\n(?:[ \t]*\r?\n)*( +)\S`)
	role       = lazyregexp.New(`(?m)^kind: (Cluster)?Role$`)
	webhooks   = lazyregexp.New(`(?m)^kind: (Mutating|Validating)WebhookConfiguration\s*$`)
)

// newManifest reads the top of a YAML file.
func newManifest(rel string, top []byte) (Manifest, bool) {
	if !bytes.Contains(top, []byte("CustomResourceDefinition")) { // most manifests have none, and an expression is slower
		return Manifest{}, false
	}
	meta := crdMeta.FindSubmatch(top)
	if meta == nil || !crdKind.Match(top) {
		return Manifest{}, false
	}
	indent := string(meta[1]) // controller-gen's is of two spaces, that of a person often of four
	m := Manifest{Path: rel, Dir: path.Dir(rel), Name: field(top, indent+"name: "), Kind: field(top, indent+indent+"kind: ")}
	if m.Name == "" {
		return Manifest{}, false
	}
	m.Patch = len(top) < topSize && !bytes.Contains(top, []byte("names:"))
	if v := crdVersion.FindSubmatchIndex(top); v != nil {
		m.Version, m.Line = string(top[v[2]:v[3]]), LineOf(top, v[2])
		if strings.HasPrefix(m.Version, "v0.0.0-") {
			m.Version = "(devel)" // of a program that was built in its own module, as later versions of Go call it
		}
	}
	return m, true
}

// field is the value of the first line that begins with a field. It is empty if there is none of one word.
func field(top []byte, begin string) string {
	for line := range strings.Lines(string(top)) {
		rest, ok := strings.CutPrefix(line, begin)
		if !ok {
			continue
		}
		if words := strings.Fields(rest); len(words) == 1 || len(words) > 1 && strings.HasPrefix(words[1], "#") {
			return strings.Trim(words[0], `"'`)
		}
	}
	return ""
}

// UsualName is the name that controller-gen gives the file of a CRD.
func (m Manifest) UsualName() string {
	plural, group, _ := strings.Cut(m.Name, ".")
	return group + "_" + plural + ".yaml"
}

// AsMade reports whether the file has the name that controller-gen gives it.
func (m Manifest) AsMade() bool {
	return strings.Contains(m.Name, ".") && path.Base(m.Path) == m.UsualName()
}
