package measure

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestUsageSince(t *testing.T) {
	now := time.Now()
	before := Usage{At: now, CPU: 10 * time.Second}
	if p := (Usage{At: now.Add(20 * time.Second), CPU: 10*time.Second + 500*time.Millisecond}).Since(before); p < 2.49 || p > 2.51 {
		t.Errorf("%f %%, want 2.5", p)
	}
	if p := before.Since(before); p != 0 {
		t.Errorf("%f %% in no time", p)
	}
}

func TestUsageOf(t *testing.T) {
	u, err := UsageOf(os.Getpid())
	if runtime.GOOS != "linux" {
		if err == nil {
			t.Error("no error where nothing is known")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	// A Go program has a megabyte at least, and less than the test machines have.
	if u.Resident < 1<<20 || u.Resident > 1<<34 || u.Anonymous == 0 || u.Anonymous > u.Resident || u.Peak < u.Resident {
		t.Errorf("%+v", u)
	}
}
