// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/apidocs/reference/kubetypes"
	"github.com/crdctl/crdctl/internal/workspace"
)

// modules are the go.mod files of Go files, by directory; nil for one that cannot be read.
type modules map[string]*modfile.File

// url is the page about a type that a Go file names, of the version that its module requires; elsewhere is set where that is the reference of
// Kubernetes, which has its fields. Only modules of Kubernetes are known to be public.
func (m modules) url(file, goType string) (url string, elsewhere bool) {
	mod := m.of(filepath.Dir(file))
	if mod == nil {
		return "", false
	}
	if minor := minorOf(mod); minor > 0 {
		if url := kubetypes.URL(goType, minor); url != "" {
			return url, true
		}
	}
	dot := strings.LastIndex(goType, ".")
	pkg, name := goType[:dot], goType[dot+1:]
	if !strings.HasPrefix(pkg, "k8s.io/") && !strings.HasPrefix(pkg, "sigs.k8s.io/") {
		return "", false
	}
	module := ""
	for _, r := range mod.Require {
		if strings.HasPrefix(pkg+"/", r.Mod.Path+"/") && len(r.Mod.Path) > len(module) {
			module = r.Mod.Path
		}
	}
	if version, _ := workspace.Required(mod, module); version != "" {
		return fmt.Sprintf("https://pkg.go.dev/%s@%s%s#%s", module, version, strings.TrimPrefix(pkg, module), name), false
	}
	return "", false
}

func (m modules) of(dir string) *modfile.File {
	if mod, known := m[dir]; known {
		return mod
	}
	m[dir] = nil
	if name, data, err := workspace.ReadAbove(dir, "go.mod"); err == nil {
		m[dir], _ = modfile.Parse(name, data, nil) // without it there are no links; the go command has the words for one that does not parse
	}
	return m[dir]
}

// minorOf is the minor version of Kubernetes whose types a module uses; 0 if it uses none.
func minorOf(mod *modfile.File) int {
	for _, module := range []string{"k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go"} {
		version, _ := workspace.Required(mod, module)
		if semver.Major(version) != "v0" {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(semver.MajorMinor(version), "v0.")); err == nil {
			return n
		}
	}
	return 0
}
