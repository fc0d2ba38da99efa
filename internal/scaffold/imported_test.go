// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only the marker of the one type is added or removed, wherever it is above it.
func TestMarkStored(t *testing.T) {
	const other, doc, marker = "package v1\n\n// +kubebuilder:storageversion\ntype Bar struct {\n}\n\n// +kubebuilder:object:root=true\n", "\n// Foo is a kind.\n", "// +kubebuilder:storageversion\n"
	const code = "type Foo struct {\n}\n"
	for name, c := range map[string]struct {
		types  string
		stored bool
		want   string
	}{
		"added":            {other + doc + code, true, other + doc + marker + code},
		"there already":    {other + marker + doc + code, true, other + marker + doc + code},
		"removed":          {other + marker + doc + code, false, other + doc + code},
		"next to the type": {other + doc + "//+kubebuilder:storageversion\n" + code, false, other + doc + code},
		"not there":        {other + doc + code, false, other + doc + code},
		"no such type":     {other, true, other},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, string(markStored([]byte(c.types), "Foo", c.stored))) })
	}
}
