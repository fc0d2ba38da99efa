// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/term"
)

// displayName is what usage lines and error messages call the command.
const displayName = "crdctl kubectl"

// rename has cobra call the command "crdctl kubectl". Examples and texts keep kubectl's words.
func rename(root *cobra.Command) {
	if root.Annotations == nil {
		root.Annotations = map[string]string{}
	}
	root.Annotations[cobra.CommandDisplayNameAnnotation] = displayName
	root.Long += "\n\n" + `Requests go to the control plane of the project in the working directory; "` + displayName + ` -C DIR" (or --dir DIR), before the command, names another project.`
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		out := root.OutOrStdout()
		var text bytes.Buffer
		root.SetOut(&text)
		help(c, args)
		root.SetOut(out)
		// The last lines have the names of parents, which the annotation does not change.
		_, _ = io.WriteString(term.NewResponsiveWriter(out), strings.ReplaceAll(text.String(), `Use "kubectl `, `Use "`+displayName+` `))
	})
}
