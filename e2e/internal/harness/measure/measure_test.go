package measure

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for want, times := range map[time.Duration][]time.Duration{0: nil, 5: {5}, 4: {9, 4, 1}, 3: {1, 9, 2, 4}} {
		if got := Median(times); got != want {
			t.Errorf("median of %v: %d, want %d", times, got, want)
		}
	}
	times := []time.Duration{3, 1, 2}
	if Median(times); times[0] != 3 {
		t.Error("the caller's times are in another order now")
	}
}

func TestUsage(t *testing.T) {
	now := time.Now()
	before := Usage{At: now, CPU: 10 * time.Second}
	if p := (Usage{At: now.Add(20 * time.Second), CPU: 10*time.Second + 500*time.Millisecond}).Since(before); p < 2.49 || p > 2.51 {
		t.Errorf("%f %%, want 2.5", p)
	}
	u, err := UsageOf(os.Getpid())
	if (err == nil) != (runtime.GOOS == "linux") {
		t.Fatal(err)
	}
	// A Go program has a megabyte at least, and less than the test machines have.
	if err == nil && (u.Resident < 1<<20 || u.Resident > 1<<34 || u.Anonymous == 0 || u.Anonymous > u.Resident || u.Peak < u.Resident) {
		t.Errorf("%+v", u)
	}
}
