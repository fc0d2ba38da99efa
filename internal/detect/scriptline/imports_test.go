// SPDX-License-Identifier: Apache-2.0

package scriptline_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/detect/scriptline"
)

// Commands that write imports in their own form are known by their flags, in any order; others do not change files.
func TestGroupsImports(t *testing.T) {
	for command, want := range map[string]bool{
		"\tgofmt -s -w .": true, "\tgofmt -s -l -w main.go $(SOURCE_DIRS)": true, "\tgofmt -w -l -s .": true, "\tgofmt -sw .": true,
		"\tgofmt -l -s .": false, "\tgofmt -w .": false,
		"\t$(GOIMPORTS) -w .": true, "\tbin/goimports-v0.1 -local example.com -w .": true, "\tgoimports -l .": false,
		"RUN --mount=type=cache,target=/.cache gofumports -w -local ${MODULE} .": true, "gofumpt -l -w .": true, "gofumpt -l .": false,
		"gci write -s standard .": true, "golangci-lint fmt": true, "golangci-lint run": false,
		"$(GOLANGCI_LINT) run --verbose --fix": true, "# gofmt -s -w .": false,
	} {
		assert.Equal(t, want, scriptline.GroupsImports.Match([]byte(command)), command)
	}
}

// golines breaks lines where a flag has it write files.
func TestBreaksLines(t *testing.T) {
	for command, want := range map[string]bool{
		`golines --base-formatter="gofmt" -w .`: true, "\t$(GOLINES) --write-output -m 120 .": true, "golines -l .": false, "# golines -w .": false,
	} {
		assert.Equal(t, want, scriptline.BreaksLines.Match([]byte(command)), command)
	}
}
