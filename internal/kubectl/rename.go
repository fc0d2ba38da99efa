// SPDX-License-Identifier: Apache-2.0

package kubectl

import "github.com/spf13/cobra"

// displayName is what usage lines and error messages call the command.
const displayName = "crdctl kubectl"

// rename has cobra call the command "crdctl kubectl". Examples and texts keep kubectl's words.
func rename(root *cobra.Command) {
	if root.Annotations == nil {
		root.Annotations = map[string]string{}
	}
	root.Annotations[cobra.CommandDisplayNameAnnotation] = displayName
	root.Long += "\n\n" + `Requests go to the control plane of the project in the working directory; "` + displayName + ` -C DIR" (or --dir DIR), before the command, names another project.`
}
