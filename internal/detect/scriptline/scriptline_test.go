// SPDX-License-Identifier: Apache-2.0

package scriptline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
)

// A file with any other difference is stale, so a command counts as harmless only where it cannot do more.
func TestChangesOfCommands(t *testing.T) {
	for want, commands := range map[config.Change][][]string{
		config.ChangesForm: {
			{"sed", "-i", "1d", "config/crd/bases/*.yaml"},
			{"gsed", "-i.bak", "-e", "'1d'", `"$f"`},
			{"sed", "-i", "''", "'/^---$/d'", "$f"},
			{"@$(GO_TOOL)", "license-eye", "header", "fix"},
			{"go", "run", "-modfile", "hack/tools/go.mod", "github.com/google/addlicense", "-f", "hack/header.txt", "."},
			{"$(ADDLICENSE)", "-c", "Some Body", "."},
			{"@$(ADDLICENSE)", "-f", "h.txt", `$(shell`, "find", `'.*\.\(go\|sh\)')`},
			{"bin/copywrite", "headers"},
			{"npx", "--yes", "prettier", "--write", "**/*.yaml"},
			{"bin/tools/yamlfmt", "chart/templates"},
			{"@echo", "$(ALL_SRC)", "|", "xargs", "-n", "10", "$(LOCALBIN)/goimports", "-w"},
			{"RUN", "--mount=type=cache,target=/.cache", "gofumports", "-w", "."},
			{"$(GOLANGCI_LINT)", "fmt"},
			{"gofmt", "-s", "-w", "."},
			{"$(GOIMPORTS_TOOL)", "-w", "."},
			{"$(OPENSHIFT_GOIMPORTS)", "-i", "github.com/kubestellar/kubeflex", "-m", "github.com/kubestellar/kubestellar"},
			{"hack/license.sh"},
			{"sh", "-c", "go install $(GOIMPORTS_IMAGE) && goimports -w -local example.com/a pkg"},
			{"sed", "-i", "\n  /^import/,/)/ {\n  /^$/ d\n  }\n", "a.go"},
			{"sed", "-i", ".orig", "/^import/,/)/ { /^$/ d }", "a.go"},
			{"find", "pkg", "-name", `"*.go"`, "|", "xargs", "-L", "1", "sed", "-i", "'/import (/,/)/{/import (/n;/)/!{/^$/d}}'"},
			{"FOLDER=.", "./copyright.sh"},
			{"python3", "../scripts/format_license.py", "--root-dir", "../", "--license-file", "../LICENSE"},
		},
		config.ChangesMetadata: {
			{"bin/yq", "-i", "eval", "del(.metadata.creationTimestamp)", "crd.yaml"},
			{"$(YQ)", "--inplace", `.metadata.labels.app = "a" | .metadata.annotations["b"] = "c"`, "crd.yaml"},
			{"if", "!", "sed", "-i", `'s/controller-gen\.kubebuilder\.io\/version:.*/{}/g'`, `"${file}"`, ">/dev/null", "2>&1;", "then"},
			{"sed", "-i", "''", "-e", `"/controller-gen.kubebuilder.io/d"`, "config/*.yaml"},
			{"sed", "-i", "/controller-gen/d", "crd.yaml"},
			{"sed", "-i.bak", `"/\ \ creationTimestamp\:\ null/d"`, "crds/*", "&&", "rm", "crds/*.bak"},
			{"sed", "-i", "'/creationTimestamp: null/d'", "crd.yaml"},
			{"sed", "-i", "", "/controller-gen/d", "crd.yaml"},
			{"find", "config", "-name", "*.yaml", "-exec", "yq", "-i", `.metadata.labels += {"a": "b"}`, "{}", ";"},
			{"./bin/yq", "write", "--inplace", "crds/*.yaml", "spec.preserveUnknownFields", "false"},
			{"yq", "d", "-i", "crd.yaml", "metadata.creationTimestamp"},
			{"yq", "-i", `.spec.conversion.strategy = "Webhook"`, "crd.yaml"},
		},
		"": {
			{"sed", "-i", "/^import/,/)/ { s/a/b/ }; s/c/d/", "a.go"},
			{"yq", "w", "-i", "crd.yaml", "spec.names.kind", "Other"},
			{"yq", "-i", `.spec.conversionOfOthers = "b"`, "crd.yaml"},
			{"hack/license.sh", "&&", "sed", "-i", "s/a/b/", "crd.yaml"},
			{"hack/license-and-schema.sh"},
			{"gofmt", "-r", "a -> b", "-w", "."},
			{"sh", "-c", "goimports -w pkg && sed -i s/a/b/ pkg/a.go"},
			{"addlicense", "-f", "h.txt", "$(find", ".", "-exec", "sed", "-i", "s/a/b/", "{}", "+)"},
			{"prettier", "--write", ".", "&&", "sed", "-i", "s/a/b/", "crd.yaml"},
			{"$(GOLANGCI_LINT)", "run", "--fix"},
			{"sed", "-i", "s/a/b/", "crd.yaml"},
			{"sed", "-i", "1,2d", "crd.yaml"},
			{"sed", "-i", "1d;s/a/b/", "crd.yaml"},
			{"sed", "-i", "-e", "1d", "-e", "1d", "crd.yaml"},
			{"sed", "-i", "1d", "a.go"},
			{"sed", "-i", "'s/a/controller-gen/'", "crd.yaml"},
			{"sed", "-i", "'/creationTimestamp/d'", "crd.yaml"},
			{"sed", "-i", "'/controller-gen/,/spec/d'", "crd.yaml"},
			{"sed", "-i", "/controller-gen/d", "crd.yaml", "-e", "s/a/b/"},
			{"sed", "-i", "-e", "'/controller-gen/d'", "-e", "'s/a/b/'", "crd.yaml"},
			{"sed", "-i", "'s/controller-gen.*/{}/;s/a/b/'", "crd.yaml"},
			{"yq", "-i", "del(.metadata.a, .spec.b)", "crd.yaml"},
			{"yq", "-i", `.metadata.labels.a = "b" | del(.spec.c)`, "crd.yaml"},
			{"yq", "-i", ".metadata.labels.a == .spec.b", "crd.yaml"},
			{"yq", "-i", "-P", "crd.yaml"},
			{"yq", "-i", "del(.metadata.a)", "crd.yaml", "&&", "sed", "-i", "s/a/b/", "crd.yaml"},
		},
	} {
		for _, words := range commands {
			assert.Equal(t, want, scriptline.Line{At: "Makefile:1", Words: words}.On("a").Changes, "%q", words)
		}
	}
}

// A formatter is not the cause where it is given other files.
func TestNamesOthers(t *testing.T) {
	none := func(string) bool { return false }
	for words, want := range map[string]bool{
		"prettier --write **/*.md": true, `prettier --write "docs/**/*.{js,ts}"`: true,
		`prettier --write '**/*.{yaml,yml}'`: false, "prettier --write .": false, "prettier --write **/*.md config": false, "yamlfmt **/*.yaml": false,
	} {
		assert.Equal(t, want, scriptline.Line{At: "Makefile:1", Words: strings.Fields(words)}.NamesOthers("config/crd.yaml", none), words)
	}
}
