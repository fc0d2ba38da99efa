// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xeipuuv/gojsonschema"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/tree"
)

// found is a check with findings of all kinds: with and without a place, a column, a subject.
func found() *Check {
	column := rule.MustFind("column-path")
	return &Check{
		Findings: []rule.Finding{
			{Rule: column, Severity: rule.Error, Place: rule.Place{File: "a b/types.go", Line: 3, Col: 4}, Subject: "crontabs.stable.example.com/v1: spec", Message: "one | 100%\nsecond line"},
			{Rule: column, Severity: rule.Note, Place: rule.Place{File: "crd.yaml", Line: 7}, Message: "two", Fix: "Do it."},
			{Rule: rule.MustFind("sample-invalid"), Severity: rule.Warning, Subject: "the project", Message: "three"},
		},
		Judged: map[rule.Family]string{rule.Preflight: "1 CRD"}, Notes: []string{"lint was skipped: no Go"}, Version: "v1.2.3", Prefix: "sub/",
	}
}

// schema is the JSON schema of SARIF 2.1.0, which a module has in a constant of its source.
func schema(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	pkg := reflect.TypeFor[sarif.Report]().PkgPath()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", pkg).Output()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	require.NoError(t, err)
	constant := file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
	text, err := strconv.Unquote(constant.Values[0].(*ast.BasicLit).Value)
	require.NoError(t, err)
	compiled, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
	require.NoError(t, err)
	return compiled
}

func TestSARIFIsValid(t *testing.T) {
	verified := Report{
		Changes: []tree.Change{{Path: "missing.go", Op: tree.Create, New: []byte("x\n")}, update("c:d.go", "a\nb\n", "a\nc\n")},
		Notes:   []string{"a note"}, Outdated: "old", Check: found(),
	}
	undetermined := found()
	undetermined.Undetermined = "samples: no verdict"
	schema := schema(t)
	for name, of := range map[string]func() ([]byte, error){
		"verify": verified.SARIF, "nothing": Report{}.SARIF, "check": found().SARIF, "no findings": Check{}.SARIF, "undetermined": undetermined.SARIF,
	} {
		t.Run(name, func(t *testing.T) {
			log, err := of()
			require.NoError(t, err)
			result, err := schema.Validate(gojsonschema.NewBytesLoader(log))
			require.NoError(t, err)
			assert.Empty(t, result.Errors(), "%s", log)
		})
	}
	log, err := undetermined.SARIF()
	require.NoError(t, err)
	assert.Contains(t, string(log), `"executionSuccessful": false`)
	assert.Contains(t, string(log), `"id": "crdctl/check"`)
	column := rule.MustFind("column-path")
	assert.Contains(t, string(log), fmt.Sprintf(`"text": %q`, column.Why+"\n"+column.Fix), "the help of the rule")
	bad, err := schema.Validate(gojsonschema.NewBytesLoader(bytes.ReplaceAll(log, []byte(`"level": "error"`), []byte(`"level": "fatal"`))))
	require.NoError(t, err)
	assert.NotEmpty(t, bad.Errors(), "the schema allows anything")
}

// The answer of doctor is its own: code scanning replaces results of the same category.
func TestDoctorHasItsName(t *testing.T) {
	c := Check{Command: "doctor", Undetermined: "x"}
	log, err := c.SARIF()
	require.NoError(t, err)
	assert.Contains(t, string(log), `"id": "crdctl/doctor"`)
	assert.Contains(t, string(c.GitHub()), "title=crdctl doctor::x")
}

// Workflow commands are lines that the runner reads back as they were meant.
func TestCheckOnGitHub(t *testing.T) {
	var got []string
	for line := range strings.Lines(string(found().GitHub())) {
		name, message, properties, ok := parse(strings.TrimSuffix(line, "\n"))
		if !ok {
			got = append(got, line)
			continue
		}
		got = append(got, name+" "+properties["file"]+":"+properties["line"]+":"+properties["col"]+" "+properties["title"]+" "+message)
	}
	column, sample := rule.MustFind("column-path"), rule.MustFind("sample-invalid")
	assert.Equal(t, []string{
		"error sub/a b/types.go:3:4 column-path one | 100%\nsecond line\n" + column.Why + "\n" + column.Fix,
		"notice sub/crd.yaml:7: column-path two\n" + column.Why + "\nDo it.",
		"warning :: sample-invalid three\n" + sample.Why + "\n" + sample.Fix,
		"notice :: crdctl check lint was skipped: no Go",
		"1 error, 1 warning, 1 note (preflight: 1 CRD)\n",
	}, got)
}

// A person reads why a rule matters once, with its first finding; annotations are read one by one, and all have it.
func TestTexts(t *testing.T) {
	column, sample := rule.MustFind("column-path"), rule.MustFind("sample-invalid")
	assert.Equal(t, []string{
		"a b/types.go:3:4: error: one | 100%\nsecond line [column-path]\n    " + column.Why + "\n    " + column.Fix,
		"crd.yaml:7: note: two [column-path]\n    Do it.",
		"the project: warning: three [sample-invalid]\n    " + sample.Why + "\n    " + sample.Fix,
	}, Texts(found().Findings))
}

// Of many notes, and of many warnings that say the same, a person is shown how many there are, unless the exit code depends on them.
func TestShown(t *testing.T) {
	c := found()
	all, left := c.Shown(rule.Error)
	assert.Len(t, all, 3)
	assert.Empty(t, left)
	for range manyNotes {
		c.Findings = append(c.Findings, c.Findings[1])
	}
	for range manyAlike {
		c.Findings = append(c.Findings, c.Findings[2])
	}
	few, left := c.Shown(rule.Error)
	assert.Len(t, few, 1+firstAlike)
	assert.Equal(t, []string{
		"8 warnings are like others and not shown (sample-invalid 8); to see them: crdctl check --fail-on warning",
		"41 notes are not shown (column-path 41); to see them: crdctl check --fail-on note",
	}, left)
	some, left := c.Shown(rule.Warning)
	assert.Len(t, some, 2+manyAlike)
	assert.Len(t, left, 1)
	all, left = c.Shown(rule.Note)
	assert.Len(t, all, 3+manyNotes+manyAlike)
	assert.Empty(t, left)
}

// CRDs that share a Go type have one finding, which says in how many it is.
func TestFindingOfSharedType(t *testing.T) {
	at := rule.Place{File: "types.go", Line: 3}
	var all []rule.Finding
	for _, subject := range []string{"bars.example.com/v1: spec.x", "foos.example.com/v1: spec.x", "foos.example.com/v2: spec.x"} {
		all = append(all, rule.New("refused-schema", at, subject, "wrong"))
	}
	all = rule.Sort(all)
	assert.Len(t, all, 1)
	assert.Equal(t, []string{"foos.example.com/v1: spec.x", "foos.example.com/v2: spec.x"}, all[0].Also)
	assert.Contains(t, Text(all[0]), "types.go:3: error: wrong (and in 1 more CRD) [refused-schema]")
}
