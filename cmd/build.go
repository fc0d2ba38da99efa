// SPDX-License-Identifier: Apache-2.0

package cmd

// crdctl has three builds. The full one has everything. The build tag crdctl_codegen leaves out the control plane, the development loop
// and kubectl; crdctl_loop leaves out the generators, too, and keeps the built-in controller for clusters that exist. Files that not every
// build has begin with a build constraint; build_full.go, build_codegen.go and build_loop.go say what is in each.
const (
	fullBuild    = "full"
	codegenBuild = "codegen"
	loopBuild    = "loop"
)
