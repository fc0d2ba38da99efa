// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/ui"
)

// While go test compiles, lines show that it does, and packages without tests do not end them.
func TestTestOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stdout, stderr bytes.Buffer
		out, compiled := testOutput(ui.Streams{Out: &stdout, Err: &stderr}, []string{"go", "test", "./..."})
		defer compiled()
		for _, line := range []string{"?   \texample.com/a\t[no test ", "files]\n", "\texample.com/b\t\tcoverage: 0.0% of statements\n"} {
			_, err := io.WriteString(out, line)
			require.NoError(t, err)
			time.Sleep(11 * time.Second)
		}
		const line = "crdctl: waiting for the first result of go test"
		assert.Equal(t, line+" (10s); the first time, compiling the tests takes minutes\n"+line+" (20s)\n"+line+" (30s)\n", stderr.String())
		_, err := io.WriteString(out, "ok  \texample.com/c\t0.1s\n")
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.NotContains(t, stderr.String(), "40s")
		assert.Contains(t, stdout.String(), "[no test files]\n\texample.com/b")
	})
}

// The output of other commands goes where it went.
func TestTestOutputOfOthers(t *testing.T) {
	var stdout bytes.Buffer
	out, compiled := testOutput(ui.Streams{Out: &stdout}, []string{"make", "test"})
	compiled()
	assert.Same(t, &stdout, out)
}
