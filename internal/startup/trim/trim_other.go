// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package trim

// Program does nothing where the system does not count what is mapped and not used.
func Program() {}
