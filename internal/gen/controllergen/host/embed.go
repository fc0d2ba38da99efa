// SPDX-License-Identifier: Apache-2.0

package host

import "embed"

// Code is the source of this package, for engines of other versions of controller-tools.
//
//go:embed *.go
var Code embed.FS
