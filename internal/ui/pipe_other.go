// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package ui

// outputIsBroken is not asked: there is no such signal.
func outputIsBroken() bool { return false }
