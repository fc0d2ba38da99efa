// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
)

// changed are the findings of a change of the schema of spec, as lines with the severity, the rule and the message.
func changed(t *testing.T, before, after string, objects ...string) (lines []string) {
	t.Helper()
	text := "objects: ["
	for i, o := range objects {
		text += fmt.Sprintf("{name: o%d, spec: %s}, ", i, o)
	}
	state := func(text string) compat.State { return compat.StateOf([]*project.CRD{checktest.CRD(t, text)}) }
	found, notes, err := compat.Compare(t.Context(), state(before), state(after), stored(t, text+"]"))
	require.NoError(t, err)
	for _, note := range notes {
		lines = append(lines, "a note: "+note)
	}
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Severity, f.Rule.ID, f.Message))
	}
	return lines
}

// A field and its struct that went are one finding, and so is a field with objects that have it.
func TestOneCause(t *testing.T) {
	const before = `{type: object, properties: {a: {type: object, required: [b], properties: {b: {type: string}, c: {type: integer, default: 1}}}, d: {type: string}}}`
	assert.Equal(t, []string{"error field-dropped: spec.a: the field was removed; its values in stored objects are dropped; objects at hand that lose it: 2 of 3: default/o0, default/o2"},
		changed(t, before, `{type: object, properties: {d: {type: string}}}`, `{a: {b: x}}`, `{d: x}`, `{a: {b: x, c: 2}, d: x}`))
	assert.Equal(t, []string{"error type-changed: spec.a: the type changed from object to integer; objects at hand that are invalid: 1 of 1: default/o0 (refused: create)"},
		changed(t, before, `{type: object, properties: {a: {type: integer}, d: {type: string}}}`, `{a: {b: x}}`))
}

// What the API server's code says of null and of integers is what the findings say.
func TestObjectsOfTypes(t *testing.T) {
	const schema = "{type: object, properties: {a: {type: array, items: {type: %s}}, b: {type: %s}, c: {type: object, additionalProperties: {type: %s}}}}"
	of := func(each string) string { return fmt.Sprintf(schema, each, each, each) }
	assert.Equal(t, []string{
		"error nullable-removed: spec.a[]: null is no longer a value; objects at hand that are invalid: 1 of 3: default/o0 (refused: create)",
		"note nullable-removed: spec.b: null is no longer kept: it is dropped",
		"note nullable-removed: spec.c{}: null is no longer kept: it is dropped",
	}, changed(t, of("string, nullable: true"), of("string"), `{a: [null]}`, `{b: null}`, `{c: {k: null}}`))
	const tighter = "fewer values are allowed: the range of int64 → that of int32"
	assert.Equal(t, []string{
		"error bound-tightened: spec.a[]: " + tighter + "; objects at hand that are invalid: 1 of 3: default/o0 (refused: create)",
		"error bound-tightened: spec.b: " + tighter + "; objects at hand that are invalid: 1 of 3: default/o1 (refused: create)",
		"error bound-tightened: spec.c{}: " + tighter + "; objects at hand that are invalid: 1 of 3: default/o2 (refused: create)",
	}, changed(t, of("integer"), of("integer, format: int32"), `{a: [3000000000]}`, `{b: 3000000000}`, `{c: {k: 3000000000}}`))
}

// Items that are there twice prove the finding of the list that became a set.
func TestObjectsTwice(t *testing.T) {
	const list = "{type: object, properties: {a: {type: array, items: {type: string}%s}}}"
	assert.Equal(t, []string{"error list-type-changed: spec.a: the list type changed from atomic to set; lists with duplicates are refused; objects at hand that are invalid: 1 of 1: default/o0 (refused: create)"},
		changed(t, fmt.Sprintf(list, ""), fmt.Sprintf(list, ", x-kubernetes-list-type: set"), `{a: [x, x]}`))
}

// What an enum lost, a map's values and a list's items have the finding of the schema, and the writes that are refused.
func TestObjects(t *testing.T) {
	assert.Equal(t, []string{
		"error bound-tightened: spec.byKey{}.num: fewer values are allowed: maximum none → 3; objects at hand that are invalid: 1 of 2: default/o0 (refused: create)",
		"error enum-removed: spec.list[].mode: values are no longer allowed: \"b\"; objects at hand that are invalid: 1 of 2: default/o1 (refused: create)",
	}, changed(t,
		`{type: object, properties: {byKey: {type: object, additionalProperties: {type: object, properties: {num: {type: integer}}}}, list: {type: array, items: {type: object, properties: {mode: {type: string, enum: [a, b]}}}}}}`,
		`{type: object, properties: {byKey: {type: object, additionalProperties: {type: object, properties: {num: {type: integer, maximum: 3}}}}, list: {type: array, items: {type: object, properties: {mode: {type: string, enum: [a]}}}}}}`,
		`{byKey: {a.b: {num: 4}}}`, `{list: [{mode: a}, {mode: b}]}`))
}

// Of two rules of one field, the one that an object breaks has the proof, and one that is broken without a change is a finding without the value.
func TestObjectsOfRules(t *testing.T) {
	const long = "a secret that is a good deal longer than what a log of a build should have in it"
	const open = `{type: object, properties: {a: {type: string}, b: {type: string}}}`
	got := changed(t, open, `{type: object, x-kubernetes-validations: [{rule: "self.a != 'y'"}, {rule: "self.a != 'x'", message: not x}, {rule: "self.b != 'x'", message: not b}], properties: {a: {type: string}, b: {type: string}}}`, `{a: x, b: x}`, `{a: x, b: z}`)
	require.Len(t, got, 3)
	assert.NotContains(t, got[0], "objects at hand")
	assert.Contains(t, got[1], "objects at hand that are invalid: 2 of 2: default/o0, default/o1")
	assert.Contains(t, got[2], "objects at hand that are invalid: 1 of 2: default/o0")
	lines := changed(t, open, `{type: object, properties: {a: {type: string, oneOf: [{enum: [k]}]}, b: {type: string}}}`, `{a: `+long+`, b: x}`)
	require.NotEmpty(t, lines)
	for _, line := range lines {
		assert.NotContains(t, line, long)
	}
}

// An object that is refused makes an error of what may break one. A type that takes more is not to blame.
func TestObjectsRaise(t *testing.T) {
	const refused = "; objects at hand that are invalid: 1 of 1: default/o0 (refused: create)"
	one := func(schema string) string { return "{type: object, properties: {a: {" + schema + "}}}" }
	assert.Equal(t, []string{"error pattern-changed: spec.a: the pattern changed from ^a to ^b" + refused},
		changed(t, one("type: string, pattern: ^a"), one("type: string, pattern: ^b"), "{a: ab}"))
	assert.Equal(t, []string{"warning pattern-changed: spec.a: the pattern changed from ^a to ^b"},
		changed(t, one("type: string, pattern: ^a"), one("type: string, pattern: ^b"), "{}"))
	assert.Equal(t, []string{
		"error required-added: spec.a.b: the field is new and required" + refused,
	}, changed(t, one("type: object"), one("type: object, required: [b], properties: {b: {type: string}}"), "{a: {}}"))
}

// Objects that break one rule may differ in the writes that are refused: one that is locked out is named as such.
func TestObjectsOfOneRule(t *testing.T) {
	const schema = "{type: object, %s properties: {a: {type: string}, b: {type: string}}}"
	assert.Equal(t, []string{"error cel-added: spec: objects must now keep the rule \"self.a == 'y'\"; objects at hand that are invalid: 3 of 3: " +
		"default/o0, default/o2 (refused: create, spec update), default/o1 (every write is refused, finalizers and status included: the controller is locked out)"},
		changed(t, fmt.Sprintf(schema, ""), fmt.Sprintf(schema, `x-kubernetes-validations: [{rule: "self.a == 'y'"}],`), "{a: x}", "{b: x}", "{a: z}"))
}

// The API server names the field of anyOf, oneOf and not in its words only. A field that has one of them is to blame, and not the object.
func TestObjectsOfCombined(t *testing.T) {
	const schema = "{type: object, properties: {a: {type: string}, c: {type: string}}%s}"
	for combined, message := range map[string]string{"not: {required: [c]}": "not is new", "oneOf: [{required: [a]}, {maxProperties: 3}]": "oneOf is new"} {
		assert.Equal(t, []string{"error one-of-changed: spec: " + message + ", and values must fit it; objects at hand that are invalid: 1 of 2: default/o0 (refused: create, spec update)"},
			changed(t, fmt.Sprintf(schema, ""), fmt.Sprintf(schema, ", "+combined), "{a: x, c: x}", "{d: x}"), combined)
	}
}

// A rule at the root that a stored object breaks is named as what it is, with and without the object.
func TestRootRule(t *testing.T) {
	const schema = "{spec: {versions: [{subresources: {status: {}}, schema: {openAPIV3Schema: {%s properties: {spec: {type: object, properties: {a: {type: string}}}}}}}]}}"
	got := changed(t, fmt.Sprintf(schema, ""), fmt.Sprintf(schema, `x-kubernetes-validations: [{rule: "self.spec.a == 'x'", message: a is x}],`), `{a: other}`)
	require.Len(t, got, 1)
	assert.Contains(t, got[0], "error cel-added: CronTab: objects must now keep the rule \"self.spec.a == 'x'\"; a stored object that breaks it can no longer be updated at all")
	assert.Contains(t, got[0], "are invalid: 1 of 1: default/o0 (every write is refused, finalizers and status included: the controller is locked out)")
}

// The severity follows what a version promises.
func TestSeverity(t *testing.T) {
	for version, want := range map[string]string{"v1alpha1": "note", "v1beta1": "error", "v1": "error", "v1, deprecated: true": "warning", "v1, served: false": "error"} {
		state := func(spec string) string {
			return fmt.Sprintf("{spec: {versions: [{name: %s, schema: {openAPIV3Schema: {properties: {spec: {type: object, properties: {%s}}}}}}]}}", version, spec)
		}
		assert.Equal(t, []string{want + " field-dropped: spec.a: the field was removed; its values in stored objects are dropped"}, changed(t, state("a: {type: string, maxLength: 3}, b: {type: string}"), state("b: {type: string, "+map[bool]string{true: "maxLength: 3"}[version == "v1, served: false"]+"}")))
	}
}

// What is stored in a version is read by its schema, also after the version is neither served nor stored any more.
func TestStoredOnce(t *testing.T) {
	const (
		versions = "{spec: {versions: [{name: v1, served: %s, storage: %s, schema: {openAPIV3Schema: {properties: {spec: {type: object, properties: {%s b: {type: string}}}}}}}," +
			" {name: v2, served: true, storage: %s, schema: {openAPIV3Schema: {properties: {spec: {type: object, properties: {b: {type: string}}}}}}}]}}"
		a = "a: {type: string},"
	)
	assert.Equal(t, []string{"error field-dropped: spec.a: the field was removed; its values in stored objects are dropped"},
		changed(t, fmt.Sprintf(versions, "false", "true", a, "false"), fmt.Sprintf(versions, "false", "false", "", "true")))
}

// An older schema that is not structural takes away the objects of its CRD, and nothing else.
func TestOlderStateIsBad(t *testing.T) {
	got := changed(t, `{type: object, properties: {a: {type: string}, bad: {items: {type: string}}}}`, `{type: object, properties: {b: {type: string}}}`, `{a: x}`)
	require.Len(t, got, 3)
	assert.Contains(t, got[0], "a note: objects of crontabs.stable.example.com were not tried: its older state: version v1: ")
	assert.Contains(t, got[1], "error field-dropped: spec.a: ")
}

// In the status, whose only writer is the controller, what is tightened is a warning.
func TestStatus(t *testing.T) {
	const schema = "{spec: {versions: [{subresources: {status: {}}, schema: {openAPIV3Schema: {properties: {status: {type: object, properties: {phase: {type: string%s}}}}}}}]}}"
	assert.Equal(t, []string{`warning enum-removed: status.phase: only some values are allowed now: "a", "b"`}, changed(t, fmt.Sprintf(schema, ""), fmt.Sprintf(schema, ", enum: [a, b]")))
}

// Not every change is a finding, and few are errors.
func TestRules(t *testing.T) {
	const open = `{type: object, properties: {a: {type: integer}, b: {type: integer}}}`
	rule := func(rule, more string) string {
		return fmt.Sprintf("{type: object, x-kubernetes-validations: [{rule: \"%s\", message: m}], properties: {a: {type: integer}, b: {type: integer}%s}}", rule, more)
	}
	const c = ", c: {type: integer}"
	one := func(schema string) string { return "{type: object, properties: {a: {" + schema + "}}}" }
	for name, test := range map[string]struct {
		before, after string
		want          []string
	}{
		"new":          {open, rule("self.a > 1", ""), []string{`error cel-added: spec: objects must now keep the rule "self.a > 1"`}},
		"with a field": {open, rule("self.a > self.c", c), []string{`warning cel-added: spec: objects must now keep the rule "self.a > self.c"`}},
		"guarded":      {open, rule("!has(self.c) || self.a > 1", c), nil},
		"not both":     {open, rule("!(has(self.a) && has(self.c))", c), nil},
		"choice":       {open, rule("has(self.c) ? self.a > 1 : true", c), nil},
		"default":      {open, rule("!has(self.c) || self.a > 1", ", c: {type: integer, default: 1}"), []string{`error cel-added: spec: objects must now keep the rule "!has(self.c) || self.a > 1"`}},
		"changed":      {rule("self.a > 1", ""), rule("self.a > 2", ""), []string{`warning cel-changed: spec: the rule changed from "self.a > 1" to "self.a > 2"`}},
		"open":         {`{type: object, properties: {a: {type: object}}}`, `{type: object, properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`, []string{"note type-changed: spec.a: the type changed from empty object to free object, which takes all of it"}},
		"first field":  {one("type: object"), one("type: object, properties: {b: {type: string}}"), nil},
		"first, required": {one("type: object"), one("type: object, required: [b], properties: {b: {type: string}}"),
			[]string{"error required-added: spec.a.b: the field is new and required"}},
		"first, default": {one("type: object"), one("type: object, required: [b], properties: {b: {type: string, default: x}}"),
			nil},
		"first, rule": {one("type: object"), one("type: object, x-kubernetes-validations: [{rule: has(self.b)}], properties: {b: {type: string}}"),
			[]string{`error cel-added: spec.a: objects must now keep the rule "has(self.b)"`}},
		"first, at least one": {one("type: object"), one("type: object, minProperties: 1, properties: {b: {type: string}}"),
			[]string{"error bound-tightened: spec.a: fewer values are allowed: minProperties none → 1"}},
		"wider": {one("type: integer, format: int32, maximum: 5"), one("type: number, maximum: 6"), []string{"note type-changed: spec.a: the type changed from integer to number, which takes all of it"}},
		"wider, tighter": {one("type: integer"), one("type: number, maximum: 5"),
			[]string{"note type-changed: spec.a: the type changed from integer to number, which takes all of it", "error bound-tightened: spec.a: fewer values are allowed: maximum none → 5"}},
		"int or string": {one("type: integer"), one("x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: '^[0-9]$', maxLength: 1"),
			[]string{"note type-changed: spec.a: the type changed from integer to integer or string, which takes all of it"}},
		"int or string, enum": {one("type: integer"), one("x-kubernetes-int-or-string: true, pattern: '^[0-9]$', enum: ['1']"),
			[]string{"note type-changed: spec.a: the type changed from integer to integer or string, which takes all of it", `error enum-removed: spec.a: only some values are allowed now: "1"`}},
		"string or int": {one("type: string"), one("x-kubernetes-int-or-string: true, pattern: '^[0-9]$', maximum: 9"),
			[]string{"note type-changed: spec.a: the type changed from string to integer or string, which takes all of it", "error pattern-changed: spec.a: values must now match the pattern ^[0-9]$"}},
		"no fields": {one("type: object, required: [b], properties: {b: {type: string, default: x}}"), one("type: object, x-kubernetes-preserve-unknown-fields: true"),
			[]string{"note type-changed: spec.a: the type changed from object to free object, which takes all of it"}},
		"map": {one("type: object, required: [k], properties: {k: {type: string, maxLength: 3}}"), one("type: object, additionalProperties: {type: string, maxLength: 9}"),
			[]string{"note type-changed: spec.a: the type changed from object to map, whose keys may be any", "note bound-loosened: spec.a.k: more values are allowed: maxLength 3 → 9"}},
		"map of another type": {one("type: object, properties: {k: {type: string}}"), one("type: object, additionalProperties: {type: integer}"),
			[]string{"note type-changed: spec.a: the type changed from object to map, whose keys may be any", "error type-changed: spec.a.k: the type changed from string to integer"}},
		"map of free object": {one("type: object, x-kubernetes-preserve-unknown-fields: true, properties: {k: {type: string}}"), one("type: object, additionalProperties: {type: string}"),
			[]string{"error type-changed: spec.a: the type changed from object to map"}},
		"null, enum": {one("type: string, nullable: true, enum: [a, null]"), one("type: string, enum: [a]"), []string{"note nullable-removed: spec.a: null is no longer kept: it is dropped"}},
		"null, only enum": {one("type: string, nullable: true, enum: [a, null]"), one("type: string, nullable: true, enum: [a]"),
			[]string{"error enum-removed: spec.a: values are no longer allowed: null"}},
		"required in allOf":     {one("type: object, required: [b], properties: {b: {type: string}}"), one("type: object, allOf: [{required: [b]}], properties: {b: {type: string}}"), nil},
		"required out of allOf": {one("type: object, allOf: [{required: [b]}], properties: {b: {type: string}}"), one("type: object, required: [b], properties: {b: {type: string}}"), nil},
		"new, required in allOf": {one("type: object, properties: {b: {type: string}}"), one("type: object, allOf: [{required: [b]}], properties: {b: {type: string}}"),
			[]string{"error required-added: spec.a.b: the field is now required"}},
		"white space":           {rule("self.a > 1 && self.b != 2", ""), rule("self.a>1&&self.b  != 2", ""), nil},
		"escaped":               {rule("self.namespace != 'x'", ""), rule("self.__namespace__ != 'x'", ""), nil},
		"escaped and new":       {open, rule("!has(self.c__dash__d) || self.a > 1", ", c-d: {type: string}"), nil},
		"white space in string": {rule("string(self.a) != 'a b'", ""), rule("string(self.a) != 'a  b'", ""), []string{`warning cel-changed: spec: the rule changed from "string(self.a) != 'a b'" to "string(self.a) != 'a  b'"`}},
		"exclusive":             {one("type: integer, minimum: 0, maximum: 9"), one("type: integer, minimum: -1, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: true"), nil},
		"not exclusive":         {one("type: integer, minimum: -1, exclusiveMinimum: true"), one("type: integer, minimum: 0"), nil},
		"exclusive, tighter": {one("type: integer, minimum: 0"), one("type: integer, minimum: 0, exclusiveMinimum: true"),
			[]string{"error bound-tightened: spec.a: fewer values are allowed: minimum 0 → 0 (exclusive)"}},
		"exclusive number": {one("type: number, minimum: -1, exclusiveMinimum: true"), one("type: number, minimum: 0"),
			[]string{"error bound-tightened: spec.a: fewer values are allowed: minimum -1 (exclusive) → 0"}},
		"finer steps":   {`{type: object, properties: {a: {type: integer, multipleOf: 6}}}`, `{type: object, properties: {a: {type: integer, multipleOf: 3}}}`, []string{"note bound-loosened: spec.a: more values are allowed: multipleOf 6 → 3"}},
		"other steps":   {`{type: object, properties: {a: {type: integer, multipleOf: 3}}}`, `{type: object, properties: {a: {type: integer, multipleOf: 6}}}`, []string{"error bound-tightened: spec.a: fewer values are allowed: multipleOf 3 → 6"}},
		"only loosened": {rule("self.a > 1", ""), rule("self.a > 1 || self.b > 1", ""), nil},
		"removed":       {rule("self.a > 1", ""), open, nil},
		"null":          {one("nullable: true, type: string"), one("type: string"), []string{"note nullable-removed: spec.a: null is no longer kept: it is dropped"}},
		"null, default": {one("nullable: true, type: string, default: x"), one("type: string, default: x"), []string{"note nullable-removed: spec.a: null is no longer kept: it is replaced with the default"}},
		"null, value of a map": {one("type: object, additionalProperties: {type: string, nullable: true}"), one("type: object, additionalProperties: {type: string}"),
			[]string{"note nullable-removed: spec.a{}: null is no longer kept: it is dropped"}},
		"null, required": {one("type: object, required: [b], properties: {b: {type: string, nullable: true}}"), one("type: object, required: [b], properties: {b: {type: string}}"),
			[]string{"error nullable-removed: spec.a.b: null is no longer a value of the field, which is required"}},
		"null, now required": {one("type: object, properties: {b: {type: string, nullable: true}}"), one("type: object, required: [b], properties: {b: {type: string}}"),
			[]string{"error required-added: spec.a.b: the field is now required"}},
		"enum within":        {one("type: string, enum: [A, B]"), one("type: string, enum: [A, B], maxLength: 63, pattern: '^[A-Z]+$'"), nil},
		"enum to pattern":    {one("type: string, enum: [A, B]"), one("type: string, pattern: '^[A-Z]+$'"), []string{`note enum-added: spec.a: all values are allowed now, not only "A", "B"`}},
		"enum beyond":        {one("type: string, enum: [A, b]"), one("type: string, enum: [A, b], pattern: '^[A-Z]+$'"), []string{"error pattern-changed: spec.a: values must now match the pattern ^[A-Z]+$"}},
		"enum of numbers":    {one("type: integer, enum: [1, 8]"), one("type: integer, enum: [1, 8], maximum: 8, minimum: 2"), []string{"error bound-tightened: spec.a: fewer values are allowed: minimum none → 2"}},
		"enum with a format": {one("type: string, enum: [1s, 2s]"), one("type: string, enum: [1s, 2s], format: duration"), nil},
		"any pattern":        {one("type: string"), one("type: string, pattern: '.*'"), nil},
		"int32 as bounds":    {one("type: integer, format: int32"), one("type: integer, format: int32, maximum: 2147483647"), nil},
		"bounds as int32":    {one("type: integer, maximum: 5, minimum: 0"), one("type: integer, format: int32, maximum: 5, minimum: 0"), nil},
		"int64":              {one("type: integer"), one("type: integer, format: int64, maximum: 9223372036854775807"), nil},
		"int32 of a number":  {one("type: number"), one("type: number, format: int32"), nil},
		"int32": {one("type: integer"), one("type: integer, format: int32"),
			[]string{"error bound-tightened: spec.a: fewer values are allowed: the range of int64 → that of int32"}},
		"no int32": {one("type: integer, format: int32"), one("type: integer, format: int64"),
			[]string{"note bound-loosened: spec.a: more values are allowed: the range of int32 → that of int64"}},
		"set is now rule": {`{type: object, properties: {l: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}`, `{type: object, properties: {l: {type: array, x-kubernetes-validations: [{rule: "self.all(x, self.exists_one(y, x == y))"}], items: {type: string}}}}`,
			[]string{`warning cel-added: spec.l: objects must now keep the rule "self.all(x, self.exists_one(y, x == y))"`, "warning list-type-changed: spec.l: the list type changed from set to atomic"}},
	} {
		assert.Equal(t, test.want, changed(t, test.before, test.after), name)
	}
}
