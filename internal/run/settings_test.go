// SPDX-License-Identifier: Apache-2.0

package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/ui"
)

// Only what the run uses is worth a word, and what is broken.
func TestSettingsChanged(t *testing.T) {
	const used = "apiVersion: crdctl.dev/v1alpha1\nkind: Project\napis: [apis]\n"
	root := t.TempDir()
	save := func(content string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(root, config.FileName), []byte(content), 0o600))
	}
	save(used)
	s := settingsOf(root)
	for _, step := range []struct{ content, want string }{
		{used + "# a comment\n", ""},
		{used + "scaffold: {templates: 1, apis: []}\n", ""},
		{used + "controller: {package: .}\n", "to apply it"},
		{used, ""},
		{used + "foo: bar\n", config.FileName + ":4:1: unknown field"},
		{used + "crds: [\n", config.FileName + ":4:1: "},
		{used, "valid again"},
		{used + "\n", ""},
	} {
		save(step.content)
		var said strings.Builder
		s.changed(root, ui.NewReporter(&said))
		if got := said.String(); !strings.Contains(got, step.want) || step.want == "" && got != "" {
			t.Errorf("%q: said %q, want %q", step.content, got, step.want)
		}
	}
}
