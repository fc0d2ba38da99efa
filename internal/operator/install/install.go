// SPDX-License-Identifier: Apache-2.0

// Package install makes the manifests that a cluster needs to run crdctl's built-in loop for some CRDs: the CRDs, a service
// account with no more rights than the loop uses, what hooks and templates are made of, and a Deployment.
//
// It reads the files of hooks and templates, and writes none; it talks to no cluster and does not run the loop. What the loop
// asks the API server for is in rights.go: it changes when the loop does.
package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/config"
)

// Options say what to deploy.
type Options struct {
	// Root is the directory that the paths in Loop are relative to.
	Root string
	// Loop are the settings of the loop, checked and with defaults.
	Loop config.Loop
	// CRDs are the kinds to follow, and to install.
	CRDs []*apiextv1.CustomResourceDefinition
	// Namespace is where the controller itself is to be.
	Namespace string
	// Image has crdctl as its entry point.
	Image string
	// Replicas is how many pods there are.
	Replicas int
}

// Set is all that is to be applied, and what was assumed.
type Set struct {
	// Files are in the order in which they have to be applied.
	Files []File
	// Notes are for the user to read, one a line.
	Notes []string
}

// File is one concern.
type File struct {
	Name    string
	Objects []any
}

// crdsFile is the name of the first file, and otherFiles are those of the others, in order. Numbers, since kubectl applies the files of a directory by name.
const crdsFile = "0-crds.yaml"

var otherFiles = []string{"1-namespace.yaml", "2-rbac.yaml", "3-config.yaml", "4-deployment.yaml", "5-disruption.yaml"}

//go:embed manifests.yaml.tmpl
var source string

// special are the characters that JSON has as they are, and that YAML folds or refuses.
var special = regexp.MustCompile(`[\x{7f}-\x{9f}\x{2028}\x{2029}\x{feff}\x{fffe}\x{ffff}]`)

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"json": func(value any) (string, error) {
		text, err := json.Marshal(value)
		return special.ReplaceAllStringFunc(string(text), func(c string) string { return fmt.Sprintf(`\u%04x`, []rune(c)[0]) }), err
	},
	"dict": func(pairs ...any) map[any]any {
		dict := map[any]any{}
		for pair := range slices.Chunk(pairs, 2) {
			dict[pair[0]] = pair[1]
		}
		return dict
	},
}).Parse(source))

// New makes all objects. The same options give the same objects.
func New(o Options) (*Set, error) {
	if len(o.CRDs) == 0 {
		return nil, errors.New("no CustomResourceDefinition to work on; name a manifest with -f, or its directory as crds.dir in " + config.FileName)
	}
	o.CRDs = slices.Clone(o.CRDs)
	slices.SortFunc(o.CRDs, func(a, b *apiextv1.CustomResourceDefinition) int { return strings.Compare(a.Name, b.Name) })
	set, crds := &Set{}, File{Name: crdsFile}
	for i, crd := range o.CRDs {
		if i > 0 && crd.Name == o.CRDs[i-1].Name {
			return nil, fmt.Errorf("customresourcedefinition %s is given twice; name it once", crd.Name)
		}
		crds.Objects = append(crds.Objects, crd)
	}
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(set.Notes, text) {
			set.Notes = append(set.Notes, text)
		}
	}

	cargo, err := o.pack(note)
	if err != nil {
		return nil, err
	}
	rights, err := o.rights(cargo.customizes, note)
	if err != nil {
		return nil, err
	}
	if o.Loop.Shards > 1 && o.Replicas < 2 {
		note("%d shards but one replica, which works on all of them; set --replicas", o.Loop.Shards)
	}
	set.Files = append(set.Files, crds)
	with := o.values(cargo, rights)
	for _, name := range otherFiles {
		f := File{Name: name}
		if f.Objects, err = objects(name, with); err != nil {
			return nil, fmt.Errorf("make %s: %w", name, err)
		}
		if len(f.Objects) > 0 {
			set.Files = append(set.Files, f)
		}
	}
	return set, nil
}

// httpPort is where the pods serve metrics and probes.
const httpPort = 8080

// stopping is what a replica needs at its end after the last call of a hook: the last writes, and giving back its leases.
const stopping = 20 * time.Second

// values are what the templates are rendered with.
type values struct {
	*Options
	Args         []string
	Port         int
	Grace        int64
	Dirs         []*packedDir
	Hash         string
	Cluster, Own []rbacv1.PolicyRule
	Each         []namespaceRules
}

type namespaceRules struct {
	Namespace string
	Rules     []rbacv1.PolicyRule
}

func (o *Options) values(c *cargo, r *rights) *values {
	v := &values{
		Options: o, Args: o.args(c), Port: httpPort, Grace: int64((o.Loop.Timeout + stopping + time.Second - 1) / time.Second),
		Dirs: c.dirs, Hash: c.hash(), Cluster: r.cluster.rules(), Own: r.own.rules(),
	}
	if len(r.each) > 0 {
		for _, namespace := range slices.Sorted(slices.Values(o.Loop.Namespaces)) {
			v.Each = append(v.Each, namespaceRules{namespace, r.each.rules()})
		}
	}
	return v
}

// objects are those of one file; none if it is not needed.
func objects(name string, with *values) (all []any, err error) {
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, name, with); err != nil {
		return nil, err
	}
	for doc := range strings.SplitSeq(text.String(), "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
			return nil, err
		}
		if object != nil {
			all = append(all, object)
		}
	}
	return all, nil
}

// args are those of crdctl in the pods.
func (o *Options) args(c *cargo) []string {
	args := []string{"run", "--builtin", "--in-cluster"}
	for _, crd := range o.CRDs {
		args = append(args, "--crd="+crd.Name)
	}
	if o.Loop.Shards <= 1 {
		args = append(args, "--leader-elect")
	}
	args = append(args, "--lease-namespace="+o.Namespace, fmt.Sprintf("--metrics=:%d", httpPort))
	args = append(append(args, c.flags...), o.Loop.Args()...)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$(", "$$(") // or the kubelet would put a variable there
	}
	return args
}
