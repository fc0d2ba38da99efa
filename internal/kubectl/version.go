// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	apimversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/kubectl/pkg/cmd/version"
	"sigs.k8s.io/yaml"
)

// replaceVersion gives "version" a client version to print. kubectl's own comes from linker flags, which "go install"
// cannot pass, and without them the command fails on its own placeholder.
func replaceVersion(root *cobra.Command, flags *genericclioptions.ConfigFlags, out io.Writer) {
	for _, sub := range root.Commands() {
		if sub.Name() != "version" {
			continue
		}
		sub.Run = func(c *cobra.Command, _ []string) {
			clientOnly, err := c.Flags().GetBool("client")
			checkErr(err)
			format, err := c.Flags().GetString("output")
			checkErr(err)
			checkErr(printVersion(out, format, clientOnly, flags))
		}
	}
}

func printVersion(out io.Writer, format string, clientOnly bool, flags *genericclioptions.ConfigFlags) error {
	versions := version.Version{ClientVersion: clientVersion()}
	var serverErr error
	if !clientOnly {
		versions.ServerVersion, serverErr = serverVersion(flags)
	}
	var text []byte
	var err error
	switch format {
	case "":
		text = fmt.Appendf(text, "Client Version: %s\n", versions.ClientVersion.GitVersion)
		if versions.ServerVersion != nil {
			text = fmt.Appendf(text, "Server Version: %s\n", versions.ServerVersion.GitVersion)
		}
	case "json":
		text, err = json.MarshalIndent(versions, "", "  ")
		text = append(text, '\n')
	case "yaml":
		text, err = yaml.Marshal(versions)
	default:
		return fmt.Errorf("unknown output format %q; use json or yaml", format)
	}
	if err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	return serverErr
}

func serverVersion(flags *genericclioptions.ConfigFlags) (*apimversion.Info, error) {
	client, err := flags.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	return client.ServerVersion()
}

// clientVersion is Kubernetes' version number of the kubectl module linked in: module v0.37.1 is kubectl v1.37.1.
func clientVersion() *apimversion.Info {
	info := &apimversion.Info{
		GitVersion: "v0.0.0-unknown", GoVersion: runtime.Version(), Compiler: runtime.Compiler,
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	for _, module := range build.Deps {
		if release, found := strings.CutPrefix(module.Version, "v0."); found && module.Path == "k8s.io/kubectl" {
			info.GitVersion = "v1." + release + "+crdctl"
			info.Major = "1"
			info.Minor, _, _ = strings.Cut(release, ".")
		}
	}
	return info
}
