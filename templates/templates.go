// Package templates holds the files that init writes, as templates. It holds no logic: what a name in braces means is
// said by package scaffold, which renders them.
//
// A file's path here is its path in the project, with .tmpl at its end (a bare go.mod would cut its folder out of this
// module) and __name__ for a part that depends on the API.
package templates

import "embed"

// FS holds the folder project, the files that a project has once, and the folder api, those that each API has.
//
//go:embed all:project all:api
var FS embed.FS
