// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMedian(t *testing.T) {
	for want, times := range map[time.Duration][]time.Duration{0: nil, 5: {5}, 4: {9, 4, 1}, 3: {1, 9, 2, 4}} {
		assert.Equal(t, want, Median(times), times)
	}
	times := []time.Duration{3, 1, 2}
	Median(times)
	assert.Equal(t, []time.Duration{3, 1, 2}, times)
}

func TestUsage(t *testing.T) {
	now := time.Now()
	before := Usage{At: now, CPU: 10 * time.Second}
	assert.InDelta(t, 2.5, Usage{At: now.Add(20 * time.Second), CPU: 10*time.Second + 500*time.Millisecond}.Since(before), 0.01)
	u, err := UsageOf(os.Getpid())
	require.Equal(t, runtime.GOOS == "linux", err == nil, "%v", err)
	// A Go program has a megabyte at least, and less than the test machines have.
	if err == nil && (u.Resident < 1<<20 || u.Resident > 1<<34 || u.Anonymous == 0 || u.Anonymous > u.Resident || u.Peak < u.Resident) {
		t.Errorf("%+v", u)
	}
}

func TestResidentOfTree(t *testing.T) {
	cmd := exec.Command("sh", "-c", "echo; sleep 60 & cat; kill $!") // two descendants, which end with the input
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		_ = input.Close()
		_ = cmd.Wait()
	}()
	_, err = output.Read(make([]byte, 1)) // the shell runs
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		alone, err := UsageOf(cmd.Process.Pid)
		if err != nil {
			return runtime.GOOS != "linux"
		}
		tree, err := ResidentOfTree(cmd.Process.Pid)
		return err == nil && tree > alone.Resident
	}, 10*time.Second, 10*time.Millisecond)
}
