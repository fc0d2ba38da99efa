// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import "github.com/crdctl/crdctl/internal/gen"

// generatorsOf is the version of the generators that a project is generated with. Without a project, or one that cannot be read, there
// is none.
func generatorsOf(dir string) gen.Generators {
	at, _ := newSettings(nil).project(&options{dir: dir})
	if at == nil || at.settings == nil { // an error next to settings is that they name no API packages, which a built-in loop does not need
		return gen.Generators{}
	}
	used, err := gen.VersionFor(at.root, at.settings)
	if err != nil {
		return gen.Generators{}
	}
	return used
}

// projectGeneratorsIn is what the code of the project is generated with; nil where no project decides that.
func projectGeneratorsIn(dir string) *projectGenerators {
	used := generatorsOf(dir)
	if used.Source == "" {
		return nil
	}
	return &projectGenerators{CodeGenerator: used.Version, Source: used.Source, text: used.String()}
}
