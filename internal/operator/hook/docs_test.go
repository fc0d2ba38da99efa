// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// The programs on the page are run: each of them, asked what the page asks, answers what the page says.
func TestProgramsOfTheDocs(t *testing.T) {
	question := operatortest.InDocs(t, "(the fields that the API server sets in `metadata` are left out here):\n")
	dir := t.TempDir()
	script(t, filepath.Join(dir, "sync.py"), operatortest.InDocs(t, "This is `sync.py`:\n"))
	script(t, filepath.Join(dir, "serve.py"), operatortest.InDocs(t, "is the function above:\n"))
	var want any
	require.NoError(t, json.Unmarshal([]byte(operatortest.InDocs(t, "The response is one JSON object as well:\n")), &want))
	script(t, filepath.Join(dir, "sync.sh"), operatortest.InDocs(t, "The same in a shell is `sync.sh`, which needs [jq](https://jqlang.org):\n"))
	for program, persistent := range map[string]bool{"./sync.py": false, "./serve.py": true, "./sync.sh": false} {
		d, log := open(t, Options{Sync: Target{Args: []string{program}}, Dir: dir, Persistent: persistent})
		for range 3 {
			var got any
			require.NoError(t, json.Unmarshal([]byte(mustCall(t, d, question)), &got), program)
			assert.Equal(t, want, got, program)
		}
		if program == "./sync.sh" {
			mustFail(t, t.Context(), d, `[]`, "jq: error")
			continue
		}
		if !persistent && !strings.Contains(log.String(), `line="asked for example"`) {
			t.Errorf("log %s", log)
		}
		mustFail(t, t.Context(), d, `{"parent":{"spec":{},"metadata":{}}}`, "KeyError")
	}
}
