// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseAccount(t *testing.T) {
	if a, err := ParseAccount("team/controller"); err != nil || a.Namespace != "team" || a.Name != "controller" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, text := range []string{"", "controller", "/controller", "team/", "a/b/c"} {
		a, err := ParseAccount(text)
		assert.Error(t, err, "%q: %+v", text, a)
	}
}
