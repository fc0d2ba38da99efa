package repo

import (
	"bytes"
	"path"
	"regexp"
)

// Manifest is a CustomResourceDefinition that controller-gen or crdctl made.
type Manifest struct {
	Path, Dir, Version string
	Line               int
	Name               string // of the CRD: plural, dot, group
	Kind               string // of its objects; empty where it stands too far below
}

// Role is a role.yaml.
type Role struct {
	Path  string
	Names []string // of the roles in it
	Form  bool     // whether it has the form in which controller-gen writes it
}

var (
	crdKind    = regexp.MustCompile(`(?m)^kind: CustomResourceDefinition\s*$`)
	crdVersion = regexp.MustCompile(`(?m)^\s+controller-gen\.kubebuilder\.io/version: (\S+)\s*$`)
	crdName    = regexp.MustCompile(`(?m)^  name: (\S+)\s*$`)
	crdObjects = regexp.MustCompile(`(?m)^    kind: (\S+)\s*$`)
	role       = regexp.MustCompile(`(?m)^kind: (Cluster)?Role$`)
	webhooks   = regexp.MustCompile(`(?m)^kind: (Mutating|Validating)WebhookConfiguration\s*$`)
)

// newManifest reads the top of a YAML file.
func newManifest(rel string, top []byte) (Manifest, bool) {
	if !bytes.Contains(top, []byte("controller-gen.kubebuilder.io/version")) || !crdKind.Match(top) {
		return Manifest{}, false
	}
	v, n := crdVersion.FindSubmatchIndex(top), crdName.FindSubmatch(top)
	if v == nil || n == nil {
		return Manifest{}, false
	}
	kind := ""
	if k := crdObjects.FindSubmatch(top); k != nil {
		kind = string(k[1])
	}
	return Manifest{Path: rel, Dir: path.Dir(rel), Version: string(top[v[2]:v[3]]), Line: LineOf(top, v[2]), Name: string(n[1]), Kind: kind}, true
}

// AsMade reports whether the file has the name that controller-gen gives it.
func (m Manifest) AsMade() bool {
	plural, group, ok := bytes.Cut([]byte(m.Name), []byte("."))
	return ok && path.Base(m.Path) == string(group)+"_"+string(plural)+".yaml"
}
