// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	optionalAndRequired = lazyregexp.New(`member (\w+) cannot be both optional and required`)
	optionalTag         = lazyregexp.New(`(?m)^\s*//\s*\+(optional|k8s:optional)\b`)
	requiredTag         = lazyregexp.New(`(?m)^\s*//\s*\+(required|k8s:required)\b`)
)

// bothTags finds the fields that kube-openapi says are both optional and required: it names neither the type nor the file.
func bothTags(c Context, said string) error {
	m := optionalAndRequired.FindStringSubmatch(said)
	if m == nil {
		return nil
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(c.Sources)) {
		src, err := safefs.ReadFile(filepath.Join(c.Root, filepath.FromSlash(name)), safefs.MaxFile)
		if err != nil {
			continue
		}
		doc, n := "", 0
		for line := range strings.Lines(string(src)) {
			n++
			code := strings.TrimSpace(line)
			if strings.HasPrefix(code, "//") {
				doc += line
				continue
			}
			if strings.HasPrefix(code, m[1]+" ") && optionalTag.MatchString(doc) && requiredTag.MatchString(doc) {
				lines = append(lines, fmt.Sprintf("%s:%d:%d: %s has both +optional and +required", name, n, 1+strings.Index(line, m[1]), m[1]))
			}
			doc = ""
		}
	}
	return diag.WithHint("cannot build the OpenAPI schema", c.Root, "keep one of the two tags", lines...)
}
