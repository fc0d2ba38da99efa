// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/startup/help"
)

var update = flag.Bool("update", false, "write the texts of package help anew")

// asProgram has the test binary be the program that it names.
const asProgram = "STANDALONE_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "etcd":
		Etcd([]string{"etcd", "-help"})
	case "kube-apiserver":
		os.Exit(APIServer([]string{"kube-apiserver", "-h"}, os.Stderr))
	case "version":
		os.Exit(APIServer([]string{"kube-apiserver", "--version"}, os.Stderr))
	case "advertised":
		o := options.NewServerRunOptions()
		o.SecureServing.BindAddress = net.IPv4(127, 0, 0, 1) // as envtest has it
		advertise(o)
		fmt.Print(o.GenericServerRunOptions.AdvertiseAddress, " ", o.EndpointReconcilerType)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The prompt answers are those of the programs, and envtest finds in them what it looks for.
func TestHelp(t *testing.T) {
	for _, name := range []string{"etcd", "kube-apiserver"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), asProgram+"="+name)
		want, err := cmd.Output()
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join("..", "..", "startup", "help", name+".txt"), want, 0o644))
			continue
		}
		assert.True(t, string(want) == help.Of("/x/"+name), "%s --help has changed: run go test ./internal/controlplane/standalone -run TestHelp -update", name)
	}
	assert.Regexp(t, `(?m)^\s*--unsafe-no-fsync\b`, help.Of("etcd"))
	assert.NotRegexp(t, `(?m)^\s*--insecure-port\b`, help.Of("kube-apiserver.exe"))
	assert.Empty(t, help.Of("crdctl"))
}

// Scripts ask for it, in the form of the released program.
func TestVersion(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asProgram+"=version")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Equal(t, "Kubernetes "+controlplane.KubernetesVersion+"\n", string(out))
}
