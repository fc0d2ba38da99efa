//go:build !unix

package main

import "errors"

// freeze can't: there is no such signal.
func freeze(int) error { return errors.New("a process can't be stopped and go on here; soak on Linux") }

func thaw(int) error { return nil }
