// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/plan"
)

// program is this very program: its versions, and of a build from a working tree the executable's time and size.
func program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Now().String() // never the same
	}
	var file string
	if path, err := os.Executable(); err == nil {
		if stat, err := os.Stat(path); err == nil {
			file = fmt.Sprint(stat.Size(), stat.ModTime().UnixNano())
		}
	}
	return fmt.Sprint(info.Main.Version, info.Main.Sum, info.GoVersion, codegen.Version, file)
}

// expansions are hand-written files among generated ones, by whose mere names generators write other code.
func expansions(root string, areas []plan.Area) []string {
	var names []string
	for _, a := range areas {
		if a.File != "" || a.Generator == plan.CRD || a.Generator == plan.RBAC {
			continue
		}
		_ = fs.WalkDir(os.DirFS(root), a.Dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir // there is nothing yet
			}
			if strings.HasSuffix(path, "_expansion.go") || strings.HasSuffix(path, "register_custom.go") {
				if !strings.HasSuffix(path, "/generated_expansion.go") {
					names = append(names, path)
				}
			}
			return nil
		})
	}
	slices.Sort(names)
	return names
}
