// SPDX-License-Identifier: Apache-2.0

package state

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
)

// The purposes of seals: what is sealed for one is not good for another.
const (
	dataPurpose = "data directory "
	runPurpose  = "run "
)

// foreignError is the error of a data directory that crdctl did not make for this user.
type foreignError struct{ path, found string }

func (e *foreignError) Error() string {
	return fmt.Sprintf("%s is not empty and was not created by crdctl here (found %s); use an empty or new directory", e.path, e.found)
}

// resetHint replaces the hint of a foreignError: the directory of a project's cluster cannot be chosen.
func resetHint(err error) error {
	if foreign, ok := err.(*foreignError); ok { //nolint:errorlint // claim returns it as it is
		return fmt.Errorf("%s is not crdctl's own (found %s, and no %s that crdctl wrote there for this user); remove it with \"crdctl cluster reset\"",
			foreign.path, foreign.found, markName)
	}
	return err
}

// foreign returns the name of an entry of a directory that crdctl did not make for this user, or "". A directory that has nothing
// but an unfinished mark is as good as empty.
func foreign(dir *safefs.Dir) (string, error) {
	if signed(dir) {
		return "", nil
	}
	entries, err := dir.Entries()
	if err != nil {
		return "", fmt.Errorf("read data directory: %w; choose another", err)
	}
	for _, e := range entries {
		if !isTemporary([]string{markName}, e.Name()) {
			return e.Name(), nil
		}
	}
	return "", nil
}

// sign writes the mark: a seal of the directory's inode. No other user can make one, so a directory that came with a repository or
// an archive has none, even if its author has seen a mark of this user. It does not depend on the path: a project may be moved.
func sign(dir *safefs.Dir) error {
	inode, err := dir.Inode()
	if err != nil {
		return err
	}
	seal, err := safefs.Seal(dataSealed(inode))
	if err != nil {
		return err
	}
	return dir.Write(markName, []byte(seal+"\n"))
}

// signed reports whether a directory has a mark that crdctl wrote in it for this user.
func signed(dir *safefs.Dir) bool {
	seal, err := dir.Read(markName, fileLimit)
	if err != nil {
		return false
	}
	inode, err := dir.Inode()
	return err == nil && safefs.Sealed(dataSealed(inode), strings.TrimSuffix(string(seal), "\n"))
}

func dataSealed(inode uint64) []byte { return fmt.Appendf(nil, "%s%d", dataPurpose, inode) }

// sealRecord puts the seal of a record before it.
func sealRecord(data []byte) ([]byte, error) {
	seal, err := safefs.Seal(append([]byte(runPurpose), data...))
	return append([]byte(seal+"\n"), data...), err
}

// unsealRecord returns the record, if its seal is right.
func unsealRecord(content []byte) ([]byte, bool) {
	seal, data, ok := bytes.Cut(content, []byte("\n"))
	return data, ok && safefs.Sealed(append([]byte(runPurpose), data...), string(seal))
}
