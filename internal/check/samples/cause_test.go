// SPDX-License-Identifier: Apache-2.0

package samples_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/check/samples"
)

// One cause is one finding: the fields that an object or an item lacks, and the keys of an object without a line before it. What a value has
// wrong is another cause.
func TestOneCause(t *testing.T) {
	const object = "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a}\nspec: {image: a}\n"
	p := tree(t, map[string]string{
		"config/samples/joined.yaml": object + "# second\n" + object,
		"config/samples/twice.yaml":  object + "kind: CronTab\n",
		"config/samples/lacks.yaml":  "apiVersion: stable.example.com/v1\nkind: Backup\nmetadata: {name: a}\nspec:\n  at:\n  to: {}\n  number: a\n  list: {a: 1, b: 2}\n  one: [{}]\n",
		"config/samples/name.yaml":   "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: [NAME]}\nspec: {image: a}\n",
		"config/samples/named.yaml":  "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: [a, b]}\nspec: {image: a}\n",
		"config/samples/text.yaml":   "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: a, annotations: text}\nspec: {image: a}\n",
	})
	backup, err := project.Parse("crds/backups.yaml", []byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: Backup, plural: backups}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [at, from, size, zone]
            properties:
              at: {type: string}
              from: {type: string}
              size: {type: string}
              zone: {type: string}
              list: {type: array, items: {type: string}}
              number: {type: integer}
              one:
                type: array
                items: {type: object, required: [c], properties: {a: {type: string}, b: {type: string}, c: {type: string}}, oneOf: [{required: [a]}, {required: [b, c]}]}
              to: {type: object, required: [bucket, key], properties: {bucket: {type: string}, key: {type: string}}}
`))
	require.NoError(t, err)
	p.CRDs = append(p.CRDs, backup...)
	r, err := samples.Check(t.Context(), p, nil)
	require.NoError(t, err)
	var got []string
	for _, f := range rule.Sort(r.Findings) {
		got = append(got, f.Place.String()+" "+f.Message+" ("+f.Hint()+")")
	}
	assert.Equal(t, []string{
		"config/samples/joined.yaml:6:1 another object begins here, and the line --- before it is missing (Write a line with --- before the object.)",
		"config/samples/lacks.yaml:4:1 spec.from, spec.size and spec.zone are required (Add the fields.)",
		"config/samples/lacks.yaml:5:3 spec.at is required (Give the field a value: it has none here, which is null.)",
		"config/samples/lacks.yaml:6:3 spec.to.bucket and spec.to.key are required (Add the fields.)",
		"config/samples/lacks.yaml:7:3 spec.number must be of type integer, not string (Correct the value, or the marker or schema that forbids it.)",
		"config/samples/lacks.yaml:8:3 spec.list must be of type array, not object (Correct the value, or the marker or schema that forbids it.)",
		"config/samples/lacks.yaml:9:9 spec.one[0] must have a or b and c (Correct the value, or the marker or schema that forbids it.)",
		"config/samples/lacks.yaml:9:9 spec.one[0].c is required (Add the field.)",
		"config/samples/named.yaml:3:1 metadata: a field must be of type string (Correct the value, or the marker or schema that forbids it.)",
		"config/samples/text.yaml:3:1 metadata: a field must be of type object, not string (Correct the value, or the marker or schema that forbids it.)",
		`config/samples/twice.yaml:5:1 key "kind" already set in map (Remove one of the two.)`,
	}, got)
}

// The objects of a CRD of v1beta1, which no API server takes, are not judged: its one schema is that of all versions.
func TestBeta(t *testing.T) {
	p := tree(t, map[string]string{"config/samples/a.yaml": "apiVersion: old.example.com/v1\nkind: Old\nmetadata: {name: a}\nspec: {image: a}\n"})
	old, err := project.Parse("crds/old.yaml", []byte("apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: olds.old.example.com}\n"+
		"spec: {group: old.example.com, names: {kind: Old, plural: olds}, versions: [{name: v1, served: true, storage: true}], validation: {openAPIV3Schema: {type: object}}}\n"))
	require.NoError(t, err)
	p.CRDs = append(p.CRDs, old...)
	r, err := samples.Check(t.Context(), p, nil)
	require.NoError(t, err)
	assert.Empty(t, r.Findings)
}
