// SPDX-License-Identifier: Apache-2.0

//go:build pins

// Package archtest keeps the staging modules that k8s.io/kubernetes requires at v0.0.0, and that nothing in crdctl
// imports, at real versions in go.mod. Without it "go list -m all" fails here, and "go mod tidy" fails in a module
// that has crdctl as a tool. No build ever selects the tag, so nothing of this is compiled: go mod tidy looks at
// files behind every build tag but "ignore".
package archtest

import (
	_ "k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/code-generator/pkg/util"
	_ "k8s.io/cri-api/pkg/apis"
	_ "k8s.io/cri-streaming/pkg/streaming"
	_ "k8s.io/sample-apiserver/pkg/apis/wardle"
)
