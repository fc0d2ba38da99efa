// SPDX-License-Identifier: Apache-2.0

package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two kinds with the same plural have one CRD, and controller-gen leaves either of them: both are right. Other files are those that were written last.
func TestOneFileOfTwoKinds(t *testing.T) {
	m := &memory{call: &Call{Generators: []Generator{{Name: "crd"}, {Name: "object"}}}}
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
		{Generator: 0, Path: "same", Content: []byte("two"), Also: [][]byte{[]byte("one")}},
		{Generator: 1, Path: "same", Content: []byte("two")},
	}, m.files)
}
