// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// hookPatience is what a call of a hook may take. It is shorter than the time between the loss of a lease and its
// being taken by another replica, so that a hook that hangs is given up before another one is asked.
const hookPatience = 4 * time.Second

// persistent is how many replicas have a hook's process that lasts.
const persistent = 2

// replica is one of the processes that work on the objects together.
type replica struct {
	process
	spared        bool              // it is never killed or ended: its memory is that of a long life
	proxy         *faultproxy.Proxy // nil for one that talks to the API server itself
	network, hook sync.Mutex        // held while something is done to its requests, and while its hook misbehaves
}

// newReplica makes them different: a lives long, b talks to the API server itself, c starts its hook for each call.
func (s *soak) newReplica(crdctl, name string) *replica {
	r := &replica{process: s.newProcess(name, "Serving metrics and probes address="), spared: name == "a"}
	crdFile, kubeconfig := filepath.Join(r.side.Dir, "crd.yaml"), s.plane.kubeconfig
	require.NoError(s, os.WriteFile(crdFile, crd, 0o644))
	if name != "b" {
		config := must(clientcmd.BuildConfigFromFlags("", kubeconfig))(s)
		kubeconfig = filepath.Join(r.side.Dir, "kubeconfig")
		r.proxy = must(faultproxy.New(config, kubeconfig, true))(s)
	}
	command := fmt.Sprintf("%s %s %s/%s", s.hooks.program, relayWord, s.hooks.server.URL, name)
	r.side.Argv = []string{
		crdctl, "run", "--builtin", "--kubeconfig", kubeconfig, "-f", crdFile, "--skip-crds", "--name", "soak",
		"--hook", command, "--finalize-hook", command, "--hook-timeout", hookPatience.String(), "--owns", "v1/ConfigMap", "--shards", "8",
		"--metrics", "127.0.0.1:0", "--profiling",
	}
	if name != "c" {
		r.side.Argv = append(r.side.Argv, "--hook-persistent")
	}
	return r
}

// address is where its metrics and profiles are.
func (r *replica) address() string {
	line, _, _ := strings.Cut(r.Text()[r.next:], "\n")
	return line
}

// freeze stops it, as when a machine has no time for it. The hook's calls of that moment are not its doing from then on.
func (r *replica) freeze() {
	r.signal("STOP")
	r.soak.hooks.change(func() { r.soak.hooks.paused[r.name] = time.Now() })
}
