// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
)

// Owners are the user ids whose files are accepted.
type Owners []int

// Self accepts the files of this user only.
func Self() Owners { return Owners{os.Geteuid()} }

// Trusted accepts the files of this user, of root, and under sudo those of the user who called it.
func Trusted() Owners { return TrustedFor(os.Geteuid(), os.Getenv("SUDO_UID")) }

// TrustedFor is Trusted for a user. SUDO_UID counts for root only: anyone can set it, and only sudo gets to be root.
func TrustedFor(uid int, sudoUID string) Owners {
	owners := Owners{uid}
	if uid != 0 {
		return append(owners, 0)
	}
	if n, err := strconv.Atoi(sudoUID); err == nil && n > 0 {
		owners = append(owners, n)
	}
	return owners
}

// OwnerError is the error of a file of another user.
type OwnerError struct {
	Path string
	UID  int
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%s: belongs to another user (uid %d)", e.Path, e.UID)
}

// Is has the error count as a lack of permission.
func (e *OwnerError) Is(target error) bool { return target == fs.ErrPermission }

// Check returns an *OwnerError if the file that info describes belongs to none of the owners. Where files have no user ids, on
// Windows, it accepts all: temporary, cache and home directories are closed to other users there.
func (o Owners) Check(path string, info fs.FileInfo) error {
	uid, ok := uidOf(info)
	if !ok || slices.Contains(o, uid) {
		return nil
	}
	return &OwnerError{Path: path, UID: uid}
}
