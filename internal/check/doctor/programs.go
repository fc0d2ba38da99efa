// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"path"
	"strconv"
)

// program is a main package that makes a manager or informers, in itself or what it imports.
type program struct {
	dir string
	// reached are its directory and those of all packages of the project that it imports.
	reached map[string]bool
}

// programs are the controllers of the project.
func (s *Source) programs() (all []program) {
	imports, files := map[string][]string{}, map[string][]*GoFile{}
	var mains []string
	for _, f := range s.Go {
		file := f.AST()
		if file == nil {
			continue
		}
		dir := path.Dir(f.Path)
		if file.Name.Name == "main" && len(files[dir]) == 0 {
			mains = append(mains, dir)
		}
		files[dir] = append(files[dir], f)
		for _, i := range file.Imports {
			importPath, _ := strconv.Unquote(i.Path.Value)
			if to, own := s.dirOf(importPath); own {
				imports[dir] = append(imports[dir], to)
			}
		}
	}
	for _, main := range mains {
		reached, controller := map[string]bool{main: true}, false
		for queue := []string{main}; len(queue) > 0; queue = queue[1:] {
			for _, f := range files[queue[0]] {
				controller = controller || !f.Generated() && (f.Has("NewManager(") || f.Has("SharedInformerFactory"))
			}
			for _, to := range imports[queue[0]] {
				if !reached[to] {
					reached[to] = true
					queue = append(queue, to)
				}
			}
		}
		if controller {
			all = append(all, program{main, reached})
		}
	}
	return all
}
