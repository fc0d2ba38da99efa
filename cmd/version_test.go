// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStamp(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: "false"}, {Key: "vcs.time", Value: "2026-11-22T10:00:00Z"}}
	dirty := []debug.BuildSetting{commit[0], {Key: "vcs.modified", Value: "true"}}
	for name, test := range map[string]struct {
		linked, module string
		settings       []debug.BuildSetting
		version        string
		dirty          bool
	}{
		"go install module@version": {module: "v1.2.3", version: "v1.2.3"},
		"a checkout":                {module: "v1.2.4-0.20261122100000-0123456789ab+dirty", settings: dirty, version: "v1.2.4-0.20261122100000-0123456789ab+dirty", dirty: true},
		"linked":                    {linked: "v2.0.0", module: "v1.2.3", settings: commit, version: "v2.0.0"},
		"nothing":                   {version: "(devel)"},
	} {
		t.Run(name, func(t *testing.T) {
			var b buildInfo
			b.stamp(test.linked, &debug.BuildInfo{Main: debug.Module{Version: test.module}, Settings: test.settings})
			assert.Equal(t, test.version, b.Version)
			assert.Equal(t, test.dirty, b.Dirty)
			if len(test.settings) == 3 && (b.Time == nil || b.Commit != "0123456789abcdef0123") {
				t.Errorf("commit %s of %v", b.Commit, b.Time)
			}
		})
	}
}
