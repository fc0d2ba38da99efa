package main

import (
	"path/filepath"
	"testing"
)

// The rules hold for every second call, and for a key that always fails for each.
func TestMisbehaving(t *testing.T) {
	dir := t.TempDir()
	if err := writeFile(ruleFile(dir, "a"), fails); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(dir, failingFile), "default/x\n"); err != nil {
		t.Fatal(err)
	}
	h := &hookProgram{dir: dir, replica: "a"}
	for key, always := range map[string]bool{"default/x": true, "default/y": false} {
		failed := 0
		for range 100 {
			if _, err := h.misbehave(call{Key: key}); err != nil {
				failed++
			}
		}
		if failed == 0 || (failed == 100) != always {
			t.Errorf("%s failed %d times of 100", key, failed)
		}
	}
}
