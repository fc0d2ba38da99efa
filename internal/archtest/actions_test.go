// SPDX-License-Identifier: Apache-2.0

package archtest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var usedAction = regexp.MustCompile(`uses: ([\w-]+/[\w./-]+)@(v\d\S*)`)

// Workflows in the documentation and in the scaffold use the versions of actions that the workflows of crdctl use. Dependabot updates only
// these.
func TestActionVersions(t *testing.T) {
	type use struct{ file, action, version string }
	var all []use
	own := map[string]string{}
	for file, read := range textFiles(t) {
		read(func(_ int, text string) {
			for _, m := range usedAction.FindAllStringSubmatch(text, -1) {
				all = append(all, use{file, m[1], m[2]})
				if strings.HasPrefix(file, ".github/workflows/") {
					own[m[1]] = m[2]
				}
			}
		})
	}
	files := map[string]bool{}
	for _, u := range all {
		files[u.file] = true
		if want, ok := own[u.action]; ok {
			assert.Equal(t, want, u.version, "%s in %s", u.action, u.file)
		}
	}
	assert.Contains(t, files, "templates/project/.github/workflows/ci.yaml.tmpl")
	assert.Contains(t, files, "docs/ci.md")
}
