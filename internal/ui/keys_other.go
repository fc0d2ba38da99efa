// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package ui

import "io"

// ReadKeys returns nil: on this system a command is controlled with Ctrl-C alone.
func ReadKeys(io.Reader) *Keys { return nil }
