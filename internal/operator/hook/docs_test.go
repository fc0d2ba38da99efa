package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// blocks are the indented parts of the page about hooks.
func blocks(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "hooks.md"))
	require.NoError(t, err)
	var all []string
	inBlock := false
	for line := range strings.Lines(string(page)) {
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented && !inBlock:
			all = append(all, code)
			inBlock = true
		case indented, inBlock && strings.TrimSpace(line) == "":
			if !indented {
				code = "\n"
			}
			all[len(all)-1] += code
		default:
			inBlock = false
		}
	}
	return all
}

func block(t *testing.T, all []string, begin, word string) string {
	t.Helper()
	for _, b := range all {
		if strings.HasPrefix(b, begin) && strings.Contains(b, word) {
			return b
		}
	}
	t.Fatalf("docs/hooks.md has no part that begins with %q and has %q", begin, word)
	return ""
}

// The programs on the page are run: each of them, asked what the page asks, answers what the page says.
func TestProgramsOfTheDocs(t *testing.T) {
	all := blocks(t)
	question, answer := block(t, all, "{\n", `"parent"`), block(t, all, "{\n", `"children": [`)
	dir := t.TempDir()
	script(t, filepath.Join(dir, "sync.py"), block(t, all, "#!/usr/bin/env python3", "__main__"))
	script(t, filepath.Join(dir, "serve.py"), block(t, all, "#!/usr/bin/env python3", "ThreadPool"))
	var want any
	require.NoError(t, json.Unmarshal([]byte(answer), &want))
	for program, persistent := range map[string]bool{"./sync.py": false, "./serve.py": true} {
		d, log := open(t, Options{Sync: Target{Args: []string{program}}, Dir: dir, Persistent: persistent})
		for range 3 {
			var got any
			if err := json.Unmarshal([]byte(mustCall(t, d, question)), &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s answers %v, error %v", program, got, err)
			}
		}
		if !persistent && !strings.Contains(log.String(), `line="asked for example"`) {
			t.Errorf("log %s", log)
		}
		mustFail(t, t.Context(), d, `{"parent":{"spec":{},"metadata":{}}}`, "KeyError")
	}
}
