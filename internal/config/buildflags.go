// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// controllerSettings are those of the controller that "crdctl run" builds and runs.
var controllerSettings = []Setting{
	{Field: "controller.package", Format: Path, text: local, Value: func(p *Project) any { return &p.Controller.Package },
		Usage: "main package that `crdctl run` builds"},
	{Field: "controller.buildFlags", Flag: "build-flags", text: buildFlags, Otherwise: "none", Value: func(p *Project) any { return &p.Controller.BuildFlags },
		Usage: "flags of go build, as in -tags=foo -ldflags='-s -w'", More: "in one text, split as a shell does"},
	{Field: "controller.args", Value: func(p *Project) any { return &p.Controller.Args },
		Usage: "the controller's arguments; those after `--` follow them", More: "`$(NAME)` is the variable NAME of its environment"},
	{Field: "controller.manifests", Format: Path, text: local, Value: func(p *Project) any { return &p.Controller.Manifests },
		Usage: "files and directories that `run` applies before the controller starts and when they change: service account, roles, webhooks",
		More:  "a directory may be a kustomization or a Helm chart"},
	{Field: "controller.samples", Format: Path, text: local, Value: func(p *Project) any { return &p.Controller.Samples },
		Usage: "files and directories that `run` applies when they change"},
	{Field: "controller.webhookPort", number: port, Otherwise: "a free one", Value: func(p *Project) any { return &p.Controller.WebhookPort },
		Usage: "port on which the controller serves its webhooks on 127.0.0.1", More: "see [run.md](run.md#webhooks)"},
}

// RunSettings are those that run has flags of.
func RunSettings() []Setting { return withFlags(controllerSettings) }

// ParseBuildFlags splits the flags of go build.
func ParseBuildFlags(text string) ([]string, error) {
	words, err := split(text)
	if errors.Is(err, errShell) {
		return nil, fmt.Errorf("%w; write the value itself", err)
	} else if err != nil {
		return nil, err
	}
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		return nil, fmt.Errorf("%q does not begin with a dash; write for example -tags=%s", words[0], words[0])
	}
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
		if word != name && slices.Contains([]string{"o", "C", "n"}, name) {
			return nil, fmt.Errorf("%q is not allowed: crdctl decides where it builds and what it writes", word)
		}
	}
	return words, nil
}

func buildFlags(text string) error {
	_, err := ParseBuildFlags(text)
	return err
}
