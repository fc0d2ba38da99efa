// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"os"

	"golang.org/x/sys/unix"
)

func renameAt(fromDir int, from string, toDir int, to string, flags uint) error {
	return unix.Renameat2(fromDir, from, toDir, to, flags)
}

func renameNew(root *os.Root, from, to string) error {
	return renameWith(root, from, to, unix.RENAME_NOREPLACE)
}

func exchange(root *os.Root, a, b string) error { return renameWith(root, a, b, unix.RENAME_EXCHANGE) }
