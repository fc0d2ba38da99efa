// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"plain.py": 0o644, "good.py": 0o755} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("no interpreter"), mode))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "windows.py"), []byte("#!/usr/bin/env python3\r\n"), 0o755))
	for program, want := range map[string]string{
		"":                 "name a program or a URL with --hook",
		"./plain.py":       "is not executable; run chmod +x " + filepath.Join(dir, "plain.py"),
		"./windows.py":     "the first line of " + filepath.Join(dir, "windows.py") + " ends with a carriage return",
		"./absent.py":      "hook ./absent.py: file does not exist",
		"good.py":          "write ./good.py",
		"no-such-program":  "not found in PATH",
		"./":               "is a directory",
		"http://host:x y/": "use a URL like",
	} {
		target := Target{Args: []string{program}}
		if program == "" {
			target = Target{}
		} else if strings.HasPrefix(program, "http") {
			target = Target{URL: program}
		}
		_, err := Open(Options{Sync: target, Dir: dir})
		assert.ErrorContains(t, err, want, program)
	}
	for args, want := range map[string]string{"sh absent.sh x": "hook sh absent.sh: absent.sh: file does not exist; create it", "sh good.py absent.sh": "", "sh -c absent.sh": "", "sh": ""} {
		switch _, err := Open(Options{Sync: Target{Args: strings.Fields(args)}, Dir: dir}); want {
		case "":
			require.NoError(t, err, args)
		default:
			assert.ErrorContains(t, err, want)
		}
	}
	d, _ := open(t, Options{Sync: Target{Args: []string{"./good.py"}}, Dir: dir})
	mustFail(t, t.Context(), d, "{}", "a script must begin with a line like #!/usr/bin/env python3")
}
