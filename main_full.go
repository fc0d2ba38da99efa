// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package main

import (
	_ "github.com/crdctl/crdctl/internal/startup/english" // kubectl's translations are not loaded
	_ "github.com/crdctl/crdctl/internal/startup/help"    // etcd and kube-apiserver, which this program also is, answer --help sooner
)
