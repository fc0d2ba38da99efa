// SPDX-License-Identifier: Apache-2.0

package allow_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/allow"
	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/rule"
)

const source = `package v1

// +kubebuilder:object:root=true
// +crdctl:allow=top-level-fields it is a list of facts

// Fact is one.
type Fact struct {
	// Text says more.
	// +crdctl:allow=maxlength it is cut elsewhere
	// +kubebuilder:validation:MinLength=1
	Text string ` + "`json:\"text\"`" + `
	// +crdctl:allow=maxlength
	Name string ` + "`json:\"name\"`" + `

	// +crdctl:allow=maxlength it is above nothing

	Other string ` + "`json:\"other\"`" + `
	// +crdctl:allow
	Last string ` + "`json:\"last\"`" + `
	// +crdctl:allow=maxlength,nofloats both are right
	// +crdctl:allowed=maxlength is another marker
	More string ` + "`json:\"more\"`" + `
}
`

// A marker covers the comment that it is in and the first line of what that is on, for one rule and wherever a family puts its findings.
func TestApply(t *testing.T) {
	at := func(id string, line int) rule.Finding {
		return rule.New(id, rule.Place{File: "api/types.go", Line: line}, "api.Fact", "line %d", line)
	}
	found := []rule.Finding{at("top-level-fields", 7), at("maxlength", 10), at("maxlength", 11), at("nofloats", 11), at("maxlength", 17), at("maxlength", 19)}
	kept, allowed, err := allow.Apply(found, []rule.Finding{at("maxlength", 13)}, allow.Options{
		Files: []string{"api/types.go"}, Read: func(string) ([]byte, error) { return []byte(source), nil }, Judged: func(*rule.Rule) bool { return true },
	})
	require.NoError(t, err)
	assert.Equal(t, 3, allowed)
	assert.Equal(t, []string{
		"api/types.go:11: nofloats: line 11",
		"api/types.go:17: maxlength: line 17",
		"api/types.go:19: maxlength: line 19",
		"api/types.go:12:5: allow-without-reason: +crdctl:allow=maxlength has no reason",
		"api/types.go:15:5: allow-unused: +crdctl:allow=maxlength is above neither a field nor a type",
		"api/types.go:18:5: allow-unknown-rule: +crdctl:allow names no rule",
		"api/types.go:20:5: allow-unknown-rule: +crdctl:allow names maxlength,nofloats, and a marker has one rule; write one for each",
	}, checktest.Lines(kept))

	// Of a family that was not judged it is not known whether a marker is in use.
	kept, _, err = allow.Apply(nil, nil, allow.Options{
		Files: []string{"api/types.go"}, Read: func(string) ([]byte, error) { return []byte(source), nil }, Judged: func(*rule.Rule) bool { return false },
	})
	require.NoError(t, err)
	assert.NotContains(t, checktest.Lines(kept), "api/types.go:9:5: allow-unused: +crdctl:allow=maxlength suppresses nothing")
	assert.Len(t, kept, 4)
}
