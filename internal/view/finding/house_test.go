// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// What is inferred is never called certain: infer.go of package model, which has all guesses, does not even know the
// word, and certainties are nowhere made of strings.
func TestGuessesAreNeverCertain(t *testing.T) {
	for _, dir := range []string{".", "../model"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if filepath.Base(file) == "infer.go" {
						assert.NotContains(t, []string{"Certain", "certainly"}, n.Name, file)
					}
				case *ast.BasicLit:
					assert.NotEqual(t, `"certain"`, n.Value, file)
				}
				return true
			})
		}
	}
}

// No link of any recording that needs a guess is certain: what has an ID, a version or a recorded cause is.
func TestInferredLinksAreNotCertain(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.jsonl")
	require.NoError(t, err)
	links := 0
	for _, file := range files {
		m := model.New()
		for _, r := range records(t, file) {
			m.Add(r)
		}
		for _, k := range m.Keys() {
			for _, rec := range m.Reconciles(k) {
				_, l := m.SentIn(rec)
				if rec.Source == "log" || rec.Source == model.SourceInferred {
					assert.NotEqual(t, trace.Certain, l.Certainty, file)
				}
				for _, c := range m.Causes(rec) {
					links++
					if len(rec.Causes) == 0 || rec.Source == "log" {
						assert.NotEqual(t, trace.Certain, c.Certainty, file)
					}
				}
			}
		}
		for _, r := range m.Requests() {
			links++
			if rec, l := m.ReconcileOf(r); rec != nil && !strings.HasPrefix(r.ID, rec.ID+".") {
				assert.NotEqual(t, trace.Certain, l.Certainty, file)
			}
			if r.Version != nil && r.Version.By != r.ID && r.RVOut != r.Version.RV {
				assert.NotEqual(t, trace.Certain, r.Version.Writer.Certainty, file)
			}
		}
	}
	assert.Greater(t, links, 100)
}

// named is how sentences name who wrote a version.
var named = regexp.MustCompile(`(probably )?(because of a write )?by [\w-]+ \((GET|PUT|POST|PATCH|APPLY|DELETE)[ a-z]*\)( had probably won)?`)

// Where it is guessed who wrote the versions, each sentence that names one marks it, and is not certain.
func TestGuessedWritersAreMarked(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.jsonl")
	require.NoError(t, err)
	marked := map[string]bool{}
	for _, file := range files {
		guessed := records(t, file)
		for _, r := range guessed {
			if v, ok := r.Body.(*trace.Version); ok {
				v.Guessed = v.By != ""
			}
		}
		for _, f := range find(guessed) {
			name := named.FindString(f.Message)
			if f.Type == "field-fight" {
				name = f.Message
			}
			if name == "" {
				continue
			}
			assert.Contains(t, name, "probably", "%s: %s", file, f.Message)
			assert.Equal(t, trace.Likely, f.Certainty, "%s: %s", file, f.Message)
			marked[f.Type] = true
		}
	}
	for _, kind := range []string{"conflict-storm", "stale-write", "invalid-owner", "managed-fields-only", "stuck-finalizer", "timer-preempted", "field-fight"} {
		assert.True(t, marked[kind], "no recording has a %s that names who wrote", kind)
	}
}

// A finding about causes is certain only where causes were recorded, or where it names none.
func TestCausesAreNotCertainWithoutHook(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.jsonl")
	require.NoError(t, err)
	for _, file := range files {
		var bare []trace.Record
		for _, r := range records(t, file) {
			switch b := r.Body.(type) {
			case *trace.Reconcile, *trace.Queue:
				continue
			case *trace.Header:
				b.Levels = []string{"audit", "watch"}
			}
			bare = append(bare, r)
		}
		for _, f := range find(bare) {
			if f.Certainty == trace.Certain {
				for _, word := range []string{"reconciled by", "because", "no reconcile"} {
					if f.Type == "hot-loop" || f.Type == "delivered-not-reconciled" || f.Type == "timer-preempted" {
						assert.NotContains(t, f.Message, word, file)
					}
				}
			}
		}
	}
}
