// SPDX-License-Identifier: Apache-2.0

// Package templates holds the files that init writes, as templates. It holds no logic: what a name in braces means is
// said by package scaffold, which renders them.
//
// A file's path here is its path in the project, with .tmpl at its end (a bare go.mod would cut its directory out of this
// module) and __name__ for a part that depends on the API.
package templates

import "embed"

// FS holds the directories that package scaffold renders: project, what a project has once; group, version, api, controller and webhook, what each of these has;
// wiring and versionwiring, the files that know all kinds and that crdctl owns.
//
//go:embed all:project all:group all:version all:api all:controller all:webhook all:wiring all:versionwiring
var FS embed.FS
