package kubectl

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// displayName is what help and error messages call the command.
const displayName = "crdctl kubectl"

// rename makes help speak of "crdctl kubectl": in usage lines through cobra, and where the text says "kubectl" itself.
func rename(root *cobra.Command, streams genericiooptions.IOStreams) {
	if root.Annotations == nil {
		root.Annotations = map[string]string{}
	}
	root.Annotations[cobra.CommandDisplayNameAnnotation] = displayName
	renameTexts(root)
	root.Long += "\n\n" + `Requests go to the control plane of the project in the working directory; "` + displayName + ` -C DIR" (or --dir DIR), before the command, names another project.`

	usage := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		out := c.OutOrStderr()
		var text bytes.Buffer
		c.SetOut(&text)
		c.SetErr(&text)
		err := usage(c)
		c.SetOut(streams.Out)
		c.SetErr(streams.ErrOut)
		renamed := strings.ReplaceAll(quoted(text.String()), "Subcommands provided by plugins:\n\n", "")
		if _, writeErr := io.WriteString(out, renamed); writeErr != nil {
			return writeErr
		}
		return err
	})
}

func renameTexts(c *cobra.Command) {
	c.Long = quoted(c.Long)
	lines := strings.Split(c.Example, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[i] = strings.ReplaceAll(line, "kubectl ", displayName+" ")
		}
	}
	c.Example = strings.Join(lines, "\n")
	for _, sub := range c.Commands() {
		renameTexts(sub)
	}
}

// quoted renames the command lines within running text, which are the quoted ones.
func quoted(text string) string {
	return strings.NewReplacer(`"kubectl `, `"`+displayName+` `, `'kubectl `, `'`+displayName+` `, "`kubectl ", "`"+displayName+" ").Replace(text)
}
