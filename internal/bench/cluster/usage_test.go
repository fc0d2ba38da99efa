package main

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestUsageSince(t *testing.T) {
	now := time.Now()
	before := usage{at: now, cpu: 10 * time.Second}
	if p := (usage{at: now.Add(20 * time.Second), cpu: 10*time.Second + 500*time.Millisecond}).since(before); p < 2.49 || p > 2.51 {
		t.Errorf("%f %%, want 2.5", p)
	}
	if p := before.since(before); p != 0 {
		t.Errorf("%f %% in no time", p)
	}
}

func TestUsageOf(t *testing.T) {
	u, err := usageOf(os.Getpid())
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
	if u.resident < 1<<20 || u.resident > 1<<34 || u.anonymous == 0 || u.anonymous > u.resident || u.peak < u.resident {
		t.Errorf("%+v", u)
	}
}
