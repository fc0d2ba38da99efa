// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/view/server"
)

// The browser gets a file that only the user can read: neither its arguments nor its environment have the token.
func TestBrowse(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\nls -l \"$1\" >'"+bin+"/mode'\ncp \"$1\" '"+bin+"/file'\necho \"$@\" >'"+bin+"/args'\nenv >'"+bin+"/env'\n"), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	s := serve(t, crontab())
	remove, err := s.Browse(t.Context())
	require.NoError(t, err)
	read := func(name string) string { return safefstest.Read(t, filepath.Join(bin, name)) }
	assert.Contains(t, html.UnescapeString(read("file")), "url="+s.URL()+`"`)
	assert.True(t, strings.HasPrefix(read("mode"), "-rw------- "), read("mode"))
	token := doorOf(t, s.URL()).token
	assert.NotContains(t, read("args")+read("env"), token)
	file := strings.TrimSpace(read("args"))
	require.FileExists(t, file)
	require.NoError(t, remove())
	assert.NoDirExists(t, filepath.Dir(file))

	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho links: not found >&2\necho no display >&2\nexit 3\n"), 0o755))
	failed := make(chan error)
	end := s.Open(t.Context(), func(err error) { failed <- err })
	assert.EqualError(t, <-failed, "xdg-open: exit status 3: no display")
	require.NoError(t, end())
}

// A browser that the command leaves running, with the command's output, is not waited for.
func TestBrowseLeavesTheBrowser(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\nsleep 60 &\necho $! >'" + bin + "/pid'\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	remove, err := serve(t, crontab()).Browse(t.Context())
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(safefstest.Read(t, filepath.Join(bin, "pid"))))
	require.NoError(t, err)
	browser, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, browser.Kill(), "it was waited for")
	require.NoError(t, remove())
}

func TestPortInUse(t *testing.T) {
	first, err := url.Parse(serve(t, crontab()).URL())
	require.NoError(t, err)
	port, err := strconv.Atoi(first.Port())
	require.NoError(t, err)
	_, err = server.New(server.Options{Source: crontab(), Port: port})
	assert.EqualError(t, err, "port "+first.Port()+" is in use; choose another with --ui-port, or omit the flag for a free one")
}
