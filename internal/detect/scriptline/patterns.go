// SPDX-License-Identifier: Apache-2.0

package scriptline

import (
	"path"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// ChangesAnnotation is in a command that removes the annotation with the version or writes something else instead.
var ChangesAnnotation = lazyregexp.New(`^[^#\n]*\b(sed|yq|awk|perl|grep)\b[^\n]*\bcontroller-gen\b`)

// FormatsYAML is in a command that writes all YAML files of a directory in a form of its own.
var FormatsYAML = lazyregexp.New(`^[^#\n]*\b(prettier\b[^\n#]*\s(--write|-w)\b|yamlfmt\s+(-\S+\s+)*[.\w]*$)`)

// GroupsImports is in a command that writes the imports of Go files in its own form: it groups them, or takes out an empty declaration.
var GroupsImports = lazyregexp.New(`(?i)^[^#\n]*(\bgofmt\b[^\n#]*\s-(s\b[^\n#]*\s-w|w\b[^\n#]*\s-s|sw|ws)\b|\bgo(imports|fumports|fumpt)\S*\b[^\n#]*\s-w\b|\bopenshift[-_]goimports\)?\s+-|\bgci\S*\s[^\n]*(\s-w\b|\bwrite\b)|\bgolangci-?lint\S*\s[^\n]*(\bfmt\b|\s--fix\b))`)

// changesHeaders is in a command that changes the headers of Go files after they were generated.
var changesHeaders = lazyregexp.New(`(?i)^[^#\n]*(\baddlicense\b\)?\s+-|\blicense-eye\b[^\n]*\bfix\b|\bcopywrite\b[^\n]*\bheaders\b|\bory\s+dev\s+headers\b|/[\w-]*(header|license)s?\.(sh|py)\b)`)

// GivesHeaders reports whether a command changes headers. What only checks them has such a name, too.
func GivesHeaders(line []byte) bool {
	return changesHeaders.Match(line) && !onlyChecks.MatchString(path.Base(headerScript.FindString(string(line))))
}

// onlyChecks is in the names of scripts that change nothing.
var onlyChecks = lazyregexp.New(`(?i)verify|check|test|diff|lint`)
