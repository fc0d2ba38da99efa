package install

import (
	"fmt"
	"strings"
)

// httpPort is where the pods serve metrics and probes.
const httpPort = 8080

// args are those of crdctl in the pods.
func (o *Options) args(c *cargo) []string {
	args := []string{"run", "--builtin", "--in-cluster"}
	for _, crd := range o.CRDs {
		args = append(args, "--crd="+crd.Name)
	}
	if o.Loop.Shards <= 1 {
		args = append(args, "--leader-elect")
	}
	args = append(args, "--lease-namespace="+o.Namespace, fmt.Sprintf("--metrics=:%d", httpPort))
	args = append(append(args, c.flags...), o.Loop.Args()...)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$(", "$$(") // or the kubelet would put a variable there
	}
	return args
}
