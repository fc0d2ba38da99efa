// SPDX-License-Identifier: Apache-2.0

package doctor

// GoFile is a Go file of the project that is not a test.
type GoFile struct {
	Path string
	Data []byte
}
