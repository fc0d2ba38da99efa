// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/codegen"
)

// What a key lacks in the other version is read where the spec is converted, which has it in fields of its own.
func TestFieldReadInConversionOfParentIsNotLost(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "conversion.go"), []byte(`package v1

func Convert_core_Spec_To_v1_Spec(in *core.Spec, out *Spec, s conversion.Scope) error {
	out.KeySize = in.Key.Size
	out.Other.Bits = 1
	out.Team = in.Key.Team
	return autoConvert_core_Spec_To_v1_Spec(in, out, s)
}

func Convert_v1_Spec_To_core_Spec(in *Spec, out *core.Spec, s conversion.Scope) error {
	in.Key.Kind = ""
	return autoConvert_v1_Spec_To_core_Spec(in, out, s)
}

type Key struct {
	Owner
}

type Owner struct {
	Team string
}

func Convert_core_Key_To_v1_Key(in *core.Key, out *Key, s conversion.Scope) error {
	return autoConvert_core_Key_To_v1_Key(in, out, s)
}
`), 0o600))
	notes := lossyConversions(root, []codegen.File{{Path: "zz_generated.conversion.go", Generator: "conversion-gen", Content: []byte(`package v1

func autoConvert_core_Key_To_v1_Key(in *core.Key, out *Key, s conversion.Scope) error {
	// WARNING: in.Size requires manual conversion: does not exist in peer-type
	// WARNING: in.Bits requires manual conversion: does not exist in peer-type
	// WARNING: in.Owner requires manual conversion: does not exist in peer-type
	// WARNING: in.Kind requires manual conversion: does not exist in peer-type
	return nil
}
`)}})
	require.Len(t, notes, 2) // Bits is only written there, Kind is read in the other direction, and Team is a field of Owner
	assert.Contains(t, notes[0], "core Key.Bits is lost")
	assert.Contains(t, notes[1], "core Key.Kind is lost")
}
