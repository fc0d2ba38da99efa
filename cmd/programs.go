// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/crdctl/crdctl/internal/controlplane/standalone"
	"github.com/crdctl/crdctl/internal/kubectl"
	"github.com/crdctl/crdctl/internal/ui"
)

// OtherProgram runs etcd, kube-apiserver or kubectl where that is the name that this program was started by, as those in the directory
// of "crdctl envtest path" are, and returns its exit code.
func OtherProgram(args []string, s ui.Streams) (code int, other bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch strings.TrimSuffix(filepath.Base(args[0]), ".exe") {
	case "etcd":
		standalone.Etcd(args)
		return ui.ExitTrouble, true // it does not return
	case "kube-apiserver":
		return standalone.APIServer(args, s.Err), true
	case "kubectl":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return kubectl.Run(ctx, kubectl.Options{Plain: true, Args: args[1:], In: s.In, Out: s.Out, Err: s.Err}), true
	}
	return 0, false
}
