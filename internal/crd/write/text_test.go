// SPDX-License-Identifier: Apache-2.0

package write

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What the API server says of a name ends with examples and a regular expression, which say nothing more.
func TestTextOfNames(t *testing.T) {
	said := validation.IsDNS1123Subdomain("My_Name")[0]
	assert.Contains(t, said, "regex used for validation")
	assert.Equal(t, "metadata.name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
		Text(field.Invalid(field.NewPath("metadata", "name"), "My_Name", said)))
}
