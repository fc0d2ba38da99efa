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
}

// Role is a role.yaml.
type Role struct {
	Path  string
	Names []string // of the roles in it
	Form  bool     // whether it has the form in which controller-gen writes it
}

var (
	crdKind    = lazyregexp.New(`(?m)^kind: CustomResourceDefinition\s*$`)
	crdVersion = lazyregexp.New(`(?m)^\s+controller-gen\.kubebuilder\.io/version: (\S+)\s*$`)
	crdName    = lazyregexp.New(`(?m)^  name: (\S+)\s*$`)
	crdObjects = lazyregexp.New(`(?m)^    kind: (\S+)\s*$`)
	role       = lazyregexp.New(`(?m)^kind: (Cluster)?Role$`)
	webhooks   = lazyregexp.New(`(?m)^kind: (Mutating|Validating)WebhookConfiguration\s*$`)
)

// newManifest reads the top of a YAML file.
func newManifest(rel string, top []byte) (Manifest, bool) {
	if !bytes.Contains(top, []byte("kind: CustomResourceDefinition")) { // most manifests have none, and an expression is slower
		return Manifest{}, false
	}
	n := crdName.FindSubmatch(top)
	if n == nil || !crdKind.Match(top) {
		return Manifest{}, false
	}
	m := Manifest{Path: rel, Dir: path.Dir(rel), Name: string(n[1])}
	if v := crdVersion.FindSubmatchIndex(top); v != nil {
		m.Version, m.Line = string(top[v[2]:v[3]]), LineOf(top, v[2])
		if strings.HasPrefix(m.Version, "v0.0.0-") {
			m.Version = "(devel)" // of a program that was built in its own module, as later versions of Go call it
		}
	}
	if k := crdObjects.FindSubmatch(top); k != nil {
		m.Kind = string(k[1])
	}
	return m, true
}

// AsMade reports whether the file has the name that controller-gen gives it.
func (m Manifest) AsMade() bool {
	plural, group, ok := bytes.Cut([]byte(m.Name), []byte("."))
	return ok && path.Base(m.Path) == string(group)+"_"+string(plural)+".yaml"
}
