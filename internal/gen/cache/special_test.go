//go:build unix

package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A FIFO in place of an entry counts as none and does not block, and a link is not followed. Both are replaced by the next Put.
func TestGetOfWhatIsNoFile(t *testing.T) {
	s := At(t.TempDir(), 1<<20)
	safefstest.Must(t, s.Put(key("linked"), "value"))
	outside := filepath.Join(t.TempDir(), "outside")
	safefstest.Must(t, os.Rename(s.path(key("linked")), outside))
	safefstest.Must(t, os.Symlink(outside, s.path(key("linked"))))
	safefstest.Must(t, syscall.Mkfifo(s.path(key("fifo")), 0o600))
	for _, name := range []string{"linked", "fifo"} {
		safefstest.Must(t, safefstest.Within(t, func() error {
			var got string
			if s.Get(key(name), &got) {
				return fmt.Errorf("%s: an entry", name)
			}
			return nil
		}))
		if err := s.Put(key(name), "new"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got string
		if !s.Get(key(name), &got) || got != "new" {
			t.Errorf("%s: got %q after it was put", name, got)
		}
	}
}
