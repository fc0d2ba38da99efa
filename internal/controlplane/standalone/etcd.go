// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"context"
	"os"
	"slices"
	"strings"

	"go.etcd.io/etcd/client/pkg/v3/logutil"
	"go.etcd.io/etcd/server/v3/etcdmain"

	"github.com/crdctl/crdctl/internal/startup"
	"github.com/crdctl/crdctl/internal/startup/hugepages"
	"github.com/crdctl/crdctl/internal/startup/register"
	"github.com/crdctl/crdctl/internal/startup/trim"
)

// Etcd is etcd's main function; it does not return. args begins with the name of the program.
func Etcd(args []string) {
	startup.Done()
	hugepages.Stop()
	register.Now()
	trim.Program()
	logutil.DefaultZapLoggerConfig.OutputPaths = []string{"stderr"} // package quietetcd is for the clients of others
	endWithParent(func() { os.Exit(exitFailure) })                  //nolint:forbidigo // etcd has no other way to end
	trim.Started(context.Background())
	etcdmain.Main(withQuickElection(args))
}

// withQuickElection has a member that is alone become the leader after a tenth of the time, where the user says nothing about that:
// there is no other whose heartbeat could be late. Five beats are the fewest that etcd takes; beats more often than these would be most
// of what an idle etcd does.
func withQuickElection(args []string) []string {
	for _, name := range []string{"heartbeat-interval", "election-timeout", "config-file", "initial-cluster", "discovery", "discovery-srv", "discovery-endpoints"} {
		if _, given := os.LookupEnv("ETCD_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))); given {
			return args
		}
		for _, a := range args {
			flag, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
			if strings.HasPrefix(a, "-") && flag == name {
				return args
			}
		}
	}
	if len(args) < 2 || !strings.HasPrefix(args[1], "-") { // a command of its own, or nothing
		return args
	}
	return slices.Insert(slices.Clone(args), 1, "--heartbeat-interval=20", "--election-timeout=100")
}
