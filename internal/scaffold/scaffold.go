// Package scaffold renders the files of a new project from templates, into memory.
//
// It decides names and checks them; it does not look at the disk, does not write, and does not generate code.
package scaffold

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"

	"github.com/crdctl/crdctl/internal/tree"
)

// Project is what the templates know.
type Project struct {
	// Module is the module path; ProjectName its last element.
	Module string
	// ClientDir is the folder of the generated clients.
	ClientDir string
	API       *API
}

// ProjectName is what the project, its binary and its event source are called.
func (p *Project) ProjectName() string {
	name := path.Base(p.Module)
	if versionSuffix.MatchString(name) && path.Dir(p.Module) != "." {
		name = path.Base(path.Dir(p.Module))
	}
	return name
}

// ClientPackage is the import path of the generated clients.
func (p *Project) ClientPackage() string { return path.Join(p.Module, p.ClientDir) }

// PluralExceptions are those that crdctl.yaml needs.
func (p *Project) PluralExceptions() map[string]string {
	if kind, plural, needed := p.API.PluralException(); needed {
		return map[string]string{kind: plural}
	}
	return nil
}

// Render renders all templates of a file system that has the folders project and api.
func (p *Project) Render(templates fs.FS) (*tree.Tree, error) {
	p.API.Package = path.Join(p.Module, p.API.Dir)
	out := tree.New()
	names := strings.NewReplacer("__group__", p.API.GroupFolder(), "__version__", p.API.Version, "__singular__", p.API.Singular)
	err := fs.WalkDir(templates, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := fs.ReadFile(templates, name)
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(name, "/")
		file := names.Replace(strings.TrimSuffix(rest, ".tmpl"))
		content, err := p.render(file, string(src))
		if err != nil {
			return fmt.Errorf("template %s: %w", name, err)
		}
		return out.Add(file, content)
	})
	return out, err
}

func (p *Project) render(file, src string) ([]byte, error) {
	t, err := template.New(file).Option("missingkey=error").Funcs(functions()).Parse(src)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, err
	}
	if strings.HasSuffix(file, ".go") {
		return format.Source(b.Bytes())
	}
	return b.Bytes(), nil
}

// functions are those of sprig that the templates use. Not all of sprig: it has functions whose result depends on
// the clock, on chance or on the order of a map.
func functions() template.FuncMap {
	all := sprig.TxtFuncMap()
	some := template.FuncMap{}
	for _, name := range []string{"join", "lower", "quote"} {
		some[name] = all[name]
	}
	return some
}
