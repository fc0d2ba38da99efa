// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A copy of Kubernetes' program before v1.35 reverses what is before the first slash, and so all of a name without one.
func TestReverse(t *testing.T) {
	assert.Equal(t, "Time.v1.meta.apis.pkg.apimachinery.k8s.io", reverse("io.k8s.apimachinery.pkg.apis.meta.v1.Time"))
	assert.Equal(t, "com.example.apis.a.v1.Apple", reverse("example.com/apis/a/v1.Apple"))
}
