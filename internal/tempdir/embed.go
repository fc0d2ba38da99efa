// SPDX-License-Identifier: Apache-2.0

package tempdir

import "embed"

// Code is the source of this package, tests included, for the programs that package load is a part of: see load.Code.
//
//go:embed *.go
var Code embed.FS
