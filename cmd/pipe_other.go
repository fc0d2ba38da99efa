//go:build !unix

package cmd

// outputIsBroken is not asked: there is no such signal.
func outputIsBroken() bool { return false }
