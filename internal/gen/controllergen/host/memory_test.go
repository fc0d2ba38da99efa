// SPDX-License-Identifier: Apache-2.0

package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two kinds with the same plural have one CRD, and controller-gen leaves either of them before v0.20.0: both are right. Other files are those that were
// written last.
func TestOneFileOfTwoKinds(t *testing.T) {
	for version, also := range map[string][][]byte{"v0.19.0": {[]byte("one")}, "(devel)": {[]byte("one")}, "v0.20.0": nil, "v0.23.0": nil} {
		oneFileOfTwoKinds(t, version, also)
	}
}

func oneFileOfTwoKinds(t *testing.T, version string, also [][]byte) {
	t.Helper()
	m := &memory{call: &Call{Generators: []Generator{{Name: "crd"}, {Name: "object"}}}, version: version}
	for generator := range 2 {
		for _, content := range []string{"one", "two", "two"} {
			f, err := output{m, generator}.Open(nil, "same")
			require.NoError(t, err)
			_, err = f.Write([]byte(content))
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
	}
	assert.Equal(t, []File{
		{Generator: 0, Path: "same", Content: []byte("two"), Also: also},
		{Generator: 1, Path: "same", Content: []byte("two")},
	}, m.files, version)
}
