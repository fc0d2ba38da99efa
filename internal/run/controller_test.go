// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run/pod"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

func TestControllerEnv(t *testing.T) {
	got := controllerEnv([]string{"PATH=/bin", "KUBECONFIG=/theirs", "KUBERNETES_SERVICE_HOST=h", "KUBERNETES_SERVICE_PORT=1"}, []string{"KUBECONFIG=/ours"})
	assert.Equal(t, []string{"PATH=/bin", "KUBECONFIG=/ours"}, got)
}

func TestExpand(t *testing.T) {
	got := pod.Expand([]string{"--port=$(PORT)", "--file=$(A)$(B)", "$(NONE)", "$PORT"}, []string{"PORT=1", "A=x=y", "PORT=2", "B=$(PORT)"})
	assert.Equal(t, []string{"--port=2", "--file=x=y$(PORT)", "$(NONE)", "$PORT"}, got)
}

// What is printed of the arguments is what the controller gets, once.
func TestCommand(t *testing.T) {
	var said bytes.Buffer
	o := Options{Project: &config.Project{}, Args: []string{"--user=$(KUBECONFIG)"}}
	d := &devLoop{Options: o, env: []string{"KUBECONFIG=/run/controller.kubeconfig"}, installer: &installer{Options: o, reporter: ui.NewReporter(&said)}}
	d.installer.program = &program{source: &mainpkg.Program{ReadsKubeconfig: true}}
	for range 2 {
		args, _ := d.command()
		assert.Equal(t, []string{"--kubeconfig=/run/controller.kubeconfig", "--user=/run/controller.kubeconfig"}, args)
	}
	assert.Equal(t, "crdctl: the controller gets --kubeconfig=/run/controller.kubeconfig\n", said.String())

	said.Reset()
	d.env = []string{"PASSWORD=hunter", "MODE=fast"}
	d.installer.program = &program{source: &mainpkg.Program{}, pod: &pod.Pod{Command: true, Args: []string{"--password=$(PASSWORD)", "--mode=$(MODE)"}, Secret: []string{"PASSWORD"}}}
	args, _ := d.command()
	assert.Contains(t, args, "--password=hunter")
	assert.Equal(t, "crdctl: the controller gets --password=$(PASSWORD) --mode=fast\n", said.String(), "secrets are not printed")
}

// Who starts the controller is told what it may lack, since no run sees it end.
func TestInstructions(t *testing.T) {
	var out, said bytes.Buffer
	o := Options{Project: &config.Project{Controller: config.Controller{Package: "cmd"}}}
	o.Root, o.Out, o.NoController = "/shop", &out, true
	i := &instructions{devLoop: &devLoop{Options: o, installer: &installer{Options: o, reporter: ui.NewReporter(&said)}, reporter: ui.NewReporter(&said)}}
	i.installer.program = &program{source: &mainpkg.Program{}, pod: &pod.Pod{Command: true, Args: []string{"--key=/secret/key"}, Absent: []string{"--key=/secret/key"}}}
	for range 2 {
		require.NoError(t, i.print(nil))
	}
	assert.Equal(t, 1, strings.Count(said.String(), "crdctl: these files are in Secrets that no manifest has: --key=/secret/key; if it needs them, name others in its arguments: crdctl run -- --FLAG=VALUE\n"), said.String())
	assert.Contains(t, out.String(), "--key=/secret/key")

	said.Reset()
	i.installer.Args = []string{"--key=/key"}
	i.installer.program.pod.Args, i.installer.program.pod.Absent = []string{"--key=/secret/key", "--kubeconfig=/secret/config"}, []string{"--key=/secret/key", "--kubeconfig=/secret/config"}
	i.installer.program.source.ReadsKubeconfig = true
	require.NoError(t, i.print(nil))
	assert.NotContains(t, said.String(), "in Secrets", "the user names one, and the run the other")
}

// The user's arguments come last, but for a subcommand: package flag reads no word after a flag.
func TestInOrder(t *testing.T) {
	own, users := []string{"--a"}, []string{"serve", "--b", "c"}
	assert.Equal(t, []string{"--a", "serve", "--b", "c"}, inOrder(&mainpkg.Program{}, own, users))
	assert.Equal(t, []string{"--a", "serve", "--b", "c"}, inOrder(nil, own, users))
	assert.Equal(t, []string{"serve", "--a", "--b", "c"}, inOrder(&mainpkg.Program{Subcommands: true}, own, users))
	assert.Equal(t, []string{"run", "--a", "serve", "--b", "c"}, inOrder(&mainpkg.Program{Subcommands: true}, []string{"run", "--a"}, users), "the manifests have it")
}

// A controller that ends by itself may lack what its sources show.
func TestExitHint(t *testing.T) {
	assert.Empty(t, exitHint(nil, nil))
	assert.Empty(t, exitHint(&mainpkg.Program{Subcommands: true}, []string{"serve", "--x"}))
	assert.Contains(t, exitHint(&mainpkg.Program{Subcommands: true}, []string{"--x"}), "crdctl run -- SUBCOMMAND")
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	taken := l.Addr().(*net.TCPAddr).Port
	i := &installer{program: &program{source: &mainpkg.Program{WebhookPort: taken}}}
	assert.Contains(t, i.portTaken(), "on port "+portOf(l.Addr().String())+", it cannot, because another program has that port")
	i = &installer{program: &program{source: &mainpkg.Program{}}, hooks: &webhooks{port: taken}}
	assert.Contains(t, i.portTaken(), portOf(l.Addr().String()), "the port of the settings")
	require.NoError(t, l.Close())
	assert.Empty(t, i.portTaken())
	i.program.source.Flags = map[string]mainpkg.Flag{"webhook-port": {}}
	assert.Empty(t, i.portTaken(), "any port")
	assert.Empty(t, electionHint(&mainpkg.Program{}))
	assert.Contains(t, electionHint(&mainpkg.Program{ElectsInPod: true}), "set LeaderElectionNamespace in its source")
	assert.Contains(t, exitHint(&mainpkg.Program{InClusterOnly: true}, nil), `clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))`)
}
