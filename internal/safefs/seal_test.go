package safefs

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestSeal(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	if Sealed([]byte("data"), "") {
		t.Error("without a key, a code is right")
	}
	seals := make([]string, 8)
	var all sync.WaitGroup
	for i := range seals {
		all.Go(func() {
			var err error
			if seals[i], err = Seal([]byte("data")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, seal := range seals {
		if seal != seals[0] || !Sealed([]byte("data"), seal) {
			t.Errorf("%q and %q: of processes that begin at once, each has a key of its own", seal, seals[0])
		}
	}
	if Sealed([]byte("other"), seals[0]) || Sealed([]byte("data"), seals[0][2:]) || Sealed([]byte("data"), "no code") {
		t.Error("a wrong code is right")
	}
	entries, err := os.ReadDir(filepath.Join(home, "crdctl"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v; want the key alone", entries, err)
	}
	// Another user's machine.
	another := t.TempDir()
	t.Setenv("HOME", another)
	t.Setenv("XDG_CONFIG_HOME", another)
	if _, err := Seal(nil); err != nil {
		t.Fatal(err)
	}
	if Sealed([]byte("data"), seals[0]) {
		t.Error("the code of another key is right")
	}
}
