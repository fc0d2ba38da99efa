// SPDX-License-Identifier: Apache-2.0

package scriptline

import (
	"path"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Pattern is what commands of one kind look like.
type Pattern struct {
	// words are in lower case. Each command has one of them, in any case.
	words      []string
	expression *lazyregexp.Regexp
	not        func(line []byte) bool // lines that match, and are of another kind; nil for none
}

// Match reports whether a line has such a command.
func (p Pattern) Match(line []byte) bool {
	return repo.Script{Data: line}.Mentions(p.words...) && p.expression.Match(line) && (p.not == nil || !p.not(line))
}

// ChangesAnnotation is in a command that removes the annotation with the version or writes something else instead.
var ChangesAnnotation = Pattern{words: []string{"controller-gen"}, expression: lazyregexp.New(`^[^#\n]*\b(sed|yq|awk|perl|grep)\b[^\n]*\bcontroller-gen\b`)}

// FormatsYAML is in a command that writes all YAML files of a directory in a form of its own.
var FormatsYAML = Pattern{words: []string{"prettier", "yamlfmt"}, expression: lazyregexp.New(`^[^#\n]*\b(prettier\b[^\n#]*\s(--write|-w)\b|yamlfmt\s+(-\S+\s+)*[.\w]*$)`)}

// GroupsImports is in a command that writes the imports of Go files in its own form: it groups them, or takes out an empty declaration.
var GroupsImports = Pattern{words: []string{"gofmt", "goimports", "gofump", "gci", "golangci"}, expression: lazyregexp.New(`(?i)^[^#\n]*(\bgofmt\b[^\n#]*\s-(s\b[^\n#]*\s-w|w\b[^\n#]*\s-s|sw|ws)\b|\bgo(imports|fumports|fumpt)\S*\b[^\n#]*\s-w\b|\bopenshift[-_]goimports\)?\s+-|\bgci\S*\s[^\n]*(\s-w\b|\bwrite\b)|\bgolangci[-_]?lint\S*\s[^\n]*(\bfmt\b|\s--fix\b))`)}

// BreaksLines is in a command that breaks long lines of Go files.
var BreaksLines = Pattern{words: []string{"golines"}, expression: lazyregexp.New(`(?i)^[^#\n]*\bgolines\S*\s([^\n#]*\s)?(-w|--write-output)\b`)}

// GivesHeaders is in a command that changes the headers of Go files after they were generated. What only checks them has such a name, too.
var GivesHeaders = Pattern{words: []string{"license", "header", "copyright"}, expression: lazyregexp.New(`(?i)^[^#\n]*(\baddlicense\b\)?\s+-|\blicense-eye\b[^\n]*\bfix\b|\bcopywrite\b[^\n]*\bheaders\b|\bory\s+dev\s+headers\b|/[\w-]*(header|license|copyright)s?\.(sh|py)\b)`), not: func(line []byte) bool {
	return onlyChecks.MatchString(path.Base(headerScript.FindString(string(line)))) || checksHeaders.Match(line)
}}

// checksHeaders is in a call of addlicense that changes nothing.
var checksHeaders = lazyregexp.New(`(?i)\baddlicense\b[^\n]*\s--?check\b`)

// onlyChecks is in the names of scripts that change nothing.
var onlyChecks = lazyregexp.New(`(?i)verify|check|test|diff|lint`)
