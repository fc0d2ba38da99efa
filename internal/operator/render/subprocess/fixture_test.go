// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/hook"
)

const patience = time.Minute

// templateDir writes files to a new directory: name, content, name, content.
func templateDir(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600))
	}
	return dir
}

// open opens a directory of templates; nothing of it may be left when the test ends.
func open(t testing.TB, o Options, files ...string) *Templates {
	t.Helper()
	before := runtime.NumGoroutine()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d, err := Open(templateDir(t, files...), o)
	require.NoError(t, err)
	t.Cleanup(func() {
		d.Close()
		d.Close() // again, to no effect
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			require.False(t, time.Now().After(end), "%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	})
	return d
}

// object asks about an object with this spec.
func object(name, spec string) hook.Call {
	return hook.Call{Op: hook.Sync, Kind: "CronTab", Key: "default/" + name, Body: []byte(`{"parent":{"metadata":{"name":"` + name + `"},"spec":` + spec + `}}`)}
}

func answerTo(t testing.TB, d *Templates, c hook.Call) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := d.Call(ctx, c)
	return string(out), err
}

// expectAnswer asks, and compares the answer.
func expectAnswer(t testing.TB, d *Templates, c hook.Call, want string) {
	t.Helper()
	got, err := answerTo(t, d, c)
	assert.NoError(t, err)
	assert.Equal(t, want, got)
}
