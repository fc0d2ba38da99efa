// SPDX-License-Identifier: Apache-2.0

package hugepages

import "embed"

// Code is the source of this package, tests included, for engines, which have a copy of it.
//
//go:embed *.go
var Code embed.FS
