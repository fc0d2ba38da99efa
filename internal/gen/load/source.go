package load

import "embed"

// Source is the source of this package, for programs that crdctl builds of other versions of the generators. What only
// the go command can load, such a program loads in its own way.
//
//go:embed load.go env.go modules.go parse.go prune.go check.go
var Source embed.FS
