// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	xmodule "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

const readme = `crdctl %[1]s, the %[2]s build

Documentation of this version: https://%[3]s/tree/%[4]s/docs#readme
Tutorial: https://%[3]s/blob/%[4]s/docs/tutorial.md
The builds, and how to install one: https://%[3]s/blob/%[4]s/docs/install.md

"crdctl --help" lists the commands. man has a page for each of them, and completions the scripts for bash, fish, PowerShell and zsh.
`

// readmeOf is the README.txt of an archive: its links lead to the pages of the same version, which are not in the archive.
func readmeOf(version, build string) string {
	ref := strings.TrimSuffix(version, semver.Build(version)) // +dirty
	if rev, err := xmodule.PseudoVersionRev(ref); err == nil {
		ref = rev
	}
	return fmt.Sprintf(readme, version, build, module, ref)
}
