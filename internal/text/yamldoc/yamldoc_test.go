// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestSplit(t *testing.T) {
	docs, err := Split([]byte("# head\n---\n# of one\na: 1\n---\n\nb: 2\nc: 3\n---\n---\nd: 4\n"))
	require.NoError(t, err)
	var got []string
	for _, d := range docs {
		got = append(got, fmt.Sprintf("%d %d %q", d.First, d.Line, strings.TrimSpace(string(d.Text))))
	}
	want := []string{`1 1 "# head"`, `3 4 "# of one\na: 1"`, `6 7 "b: 2\nc: 3"`, `10 11 "---\nd: 4"`}
	assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"))
}

// JSON values that follow each other are documents, and a map of YAML that begins like one stays whole.
func TestSplitJSON(t *testing.T) {
	docs, err := Split([]byte("{\"a\": 1}\n\n{\n  \"b\": 2}\n{c\n---\n{d: 4}\n{e: 5}\n---\n{\"f\": 6}\n"))
	require.NoError(t, err)
	var got []string
	for _, d := range docs {
		got = append(got, fmt.Sprintf("%d %d %q", d.First, d.Line, strings.TrimSpace(string(d.Text))))
	}
	want := []string{`1 1 "{\"a\": 1}"`, `1 3 "{\n  \"b\": 2}"`, `4 5 "{c"`, `7 7 "{d: 4}\n{e: 5}"`, `10 10 "{\"f\": 6}"`}
	assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"))
}

// Each has its fault on the line that ends with "#!".
func TestErrorHasTheLine(t *testing.T) {
	columns := map[string]string{"a value that is a map": "5:", "a map and a URL": "7:", "a tab": "1:", "a key that is there twice": "1:", "two keys that are there": "1:"}
	for name, text := range map[string]string{
		"a list that is not closed":   "a: 1\nb: [ #!\n",
		"no list":                     "a: 1\nb: [\nc: 2 #!\n",
		"no map":                      "a: 1\nb: {\nc: [1]\nd #!\n: ]\n",
		"on the first line":           "a: [ #!\n",
		"a key that is out of line":   "a:\n  b: 1\n c: 2 #!\n",
		"a value that is a map":       "a: 1\nb: c: d #!\n",
		"a map and a URL":             "a: 1\nb: see: http://example.com:80/a #!\n",
		"an item that is out of line": "a:\n  - x\n - y #!\n",
		"a tab":                       "a: 1\nb:\n\tc: 1 #!\n",
		"a key that is there twice":   "a: 1\nb: 2\na: 3 #!\n",
		"two keys that are there":     "a: 1\nb: 2\nc: 4\na: 3 #!\n",
		"after a separator":           "a: 1\n---\n# comment\n\nb: 1\nc: [\nd: 2\ne: 3 #!\n",
	} {
		t.Run(name, func(t *testing.T) {
			want := fmt.Sprintf("f.yaml:%d:%s ", strings.Count(text[:strings.Index(text, "#!")], "\n")+1, columns[name])
			docs, err := Split([]byte(text))
			require.NoError(t, err)
			var said []string
			for _, d := range docs {
				if _, err := yaml.YAMLToJSONStrict(d.Text); err != nil {
					said = append(said, d.Error("f.yaml", err).Error())
				}
			}
			if len(said) != 1 || !strings.HasPrefix(said[0], want) || strings.Contains(said[0], "line 1") {
				t.Errorf("said %q, want %s", said, want)
			}
			if len(said) == 1 {
				_, hint, found := strings.Cut(said[0], "; ")
				assert.True(t, found && hint != "" && hint != "correct the YAML", "no hint in %q", said[0])
			}
		})
	}
}

// A key that is there twice has the place of its second occurrence.
func TestTwice(t *testing.T) {
	for text, want := range map[string]Problem{
		"a: 1\nb:\n  c: 1\n  c: 2\n":     {Line: 4, Col: 3, What: `key "c" already set in map`, Hint: "remove one of the two"},
		"é: [{name: x, name: y}]\n":      {Line: 1, Col: 15, What: `key "name" already set in map`, Hint: "remove one of the two"},
		"l:\n- \"a.b\": 1\n  'a.b': 2\n": {Line: 3, Col: 3, What: `key "a.b" already set in map`, Hint: "remove one of the two"},
		"a: 1\n? a\n: 2\n":               {Line: 3, What: `key "a" already set in map`, Hint: "remove one of the two"},
	} {
		_, err := yaml.YAMLToJSONStrict([]byte(text))
		assert.Equal(t, []Problem{want}, Problems([]byte(text), err), text)
	}
}
