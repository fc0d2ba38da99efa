// SPDX-License-Identifier: Apache-2.0

package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseBuildFlags(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                     nil,
		"-tags=a,b":                            {"-tags=a,b"},
		`-tags foo -ldflags='-s -w'`:           {"-tags", "foo", "-ldflags=-s -w"},
		`-ldflags "-X main.version=v1" -cover`: {"-ldflags", "-X main.version=v1", "-cover"},
	} {
		got, err := ParseBuildFlags(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"foo":             "does not begin with a dash",
		"-tags=$TAGS":     "needs a shell",
		"-ldflags='-s":    "cannot be split into words",
		"-tags=a -o main": `"-o" is not allowed`,
		"--C=..":          `"--C=.." is not allowed`,
	} {
		_, err := ParseBuildFlags(text)
		assert.ErrorContains(t, err, want, text)
	}
}
