// SPDX-License-Identifier: Apache-2.0

package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/scaffold/merge"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

// moduleFiles are the files of a module that the project shares with all else in it.
var moduleFiles = []string{"go.mod", "go.sum"}

// clientGo is the module whose version the others of Kubernetes go with.
const clientGo = "k8s.io/client-go"

// mergeModule brings what the project requires into the go.mod and go.sum of the module that it is in.
func (p *Plan) mergeModule(was, is *tree.Tree) error {
	for _, name := range moduleFiles {
		theirs, ok := is.Content(name)
		if !ok {
			continue
		}
		base, _ := was.Content(name)
		if bytes.Equal(base, theirs) {
			continue
		}
		mine, err := p.location.Seen.ReadFile(filepath.Join(p.location.Module, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if name == "go.mod" {
			if theirs, err = following(mine, theirs); err != nil {
				return err
			}
		}
		merged, err := merge.Files(name, base, mine, theirs)
		if err != nil {
			return err
		}
		p.module[name] = merged.Content
	}
	return nil
}

// following is a go.mod with the modules of Kubernetes at the version that the user's has already: which Kubernetes a module
// goes with is not for a scaffold to change.
func following(mine, theirs []byte) ([]byte, error) {
	m, err := modfile.ParseLax("go.mod", mine, nil)
	if err != nil {
		return nil, err
	}
	t, err := modfile.Parse("go.mod", theirs, nil)
	if err != nil {
		return nil, err
	}
	has, wants := version(m, clientGo), version(t, clientGo)
	switch {
	case has == "" || has == wants:
		return theirs, nil
	case semver.Compare(has, wants) < 0:
		at := []string{}
		for _, p := range []string{"api", "apimachinery", "client-go"} {
			at = append(at, "k8s.io/"+p+"@"+wants)
		}
		return nil, fmt.Errorf("go.mod requires %s %s, but the controller needs %s; run \"go get %s && go mod tidy\" first", clientGo, has, wants, strings.Join(at, " "))
	}
	for _, r := range t.Require {
		if r.Mod.Version == wants {
			if err := t.AddRequire(r.Mod.Path, has); err != nil {
				return nil, err
			}
		}
	}
	return t.Format()
}

func version(f *modfile.File, path string) string {
	for _, r := range f.Require {
		if r.Mod.Path == path {
			return r.Mod.Version
		}
	}
	return ""
}

// settleModule writes go.mod and go.sum into the copy, and has the go command add what else the module's own versions need.
func (p *Plan) settleModule(ctx context.Context, module, root string) error {
	if len(p.module) == 0 {
		return nil
	}
	for name, content := range p.module {
		if err := os.WriteFile(filepath.Join(module, name), content, 0o644); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-mod=mod", "-deps", "-test", "-f", "{{with .Error}}{{.}}{{end}}", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off") // a vendor directory or a workspace would keep it from changing go.mod
	var errs bytes.Buffer
	cmd.Stderr = ui.GoOutput(ctx, &errs)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("find the modules that the project needs: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	for name := range p.module {
		content, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return err
		}
		p.module[name] = content
	}
	return nil
}
