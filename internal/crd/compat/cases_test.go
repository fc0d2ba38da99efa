package compat_test

// testCase is a change of a CRD, objects that are stored before it, and what is said of the change. TestCheck holds Check
// to it, and TestServer an API server.
type testCase struct {
	// current and changed are names of versions, each followed by the schema of spec, the storage version first.
	current, changed []string
	// objects are specs by name.
	objects map[string]string
	want    []string
}

var cases = map[string]testCase{
	"nothing": {
		current: []string{"v1", `{type: object, properties: {a: {type: string}}}`},
		changed: []string{"v1", `{type: object, properties: {a: {type: string}}}`},
		objects: map[string]string{"x": `{a: b}`},
	},
	"required field added": {
		current: []string{"v1beta1", `{type: object, properties: {image: {type: string}}}`},
		changed: []string{"v1beta1", `{type: object, required: [replicas], properties: {image: {type: string}, replicas: {type: integer}}}`},
		objects: map[string]string{"crontab-demo": `{image: a}`},
		want:    []string{`default/crontab-demo (v1beta1): spec.replicas: Required value`},
	},
	"required field with a default": {
		current: []string{"v1", `{type: object, properties: {image: {type: string}}}`},
		changed: []string{"v1", `{type: object, required: [replicas], properties: {image: {type: string}, replicas: {type: integer, default: 1}}}`},
		objects: map[string]string{"x": `{image: a}`},
	},
	"field removed": {
		current: []string{"v1", `{type: object, properties: {foo: {type: string}, bar: {type: string}, list: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: string}}}}}}`},
		changed: []string{"v1", `{type: object, properties: {bar: {type: string}, list: {type: array, items: {type: object, properties: {a: {type: string}}}}}}`},
		objects: map[string]string{"x": `{foo: a, bar: b}`, "y": `{bar: b}`, "z": `{foo: a, list: [{a: c}, {b: d}]}`},
		want:    []string{`default/x: spec.foo would be dropped`, `default/z: spec.foo, spec.list[1].b would be dropped`},
	},
	"invalid and dropped": {
		current: []string{"v1", `{type: object, properties: {foo: {type: string}}}`},
		changed: []string{"v1", `{type: object, required: [bar], properties: {bar: {type: string}}}`},
		objects: map[string]string{"x": `{foo: a}`},
		want:    []string{`default/x: spec.foo would be dropped`, `default/x (v1): spec.bar: Required value`},
	},
	"enum narrowed": {
		current: []string{"v1", `{type: object, properties: {policy: {type: string, enum: [Allow, Forbid, Replace]}}}`},
		changed: []string{"v1", `{type: object, properties: {policy: {type: string, enum: [Allow, Forbid]}}}`},
		objects: map[string]string{"x": `{policy: Replace}`, "y": `{policy: Allow}`, "z": `{}`},
		want:    []string{`default/x (v1): spec.policy: Unsupported value: "Replace": supported values: "Allow", "Forbid"`},
	},
	"invalid already": {
		current: []string{"v1", `{type: object, properties: {policy: {type: string, enum: [Allow, Forbid]}, num: {type: integer, minimum: 1}}}`},
		changed: []string{"v1", `{type: object, properties: {policy: {type: string, enum: [Allow]}, num: {type: integer, minimum: 2}}}`},
		objects: map[string]string{"x": `{policy: Replace, num: 0}`, "y": `{policy: Replace, num: 1}`},
		want:    []string{`default/y (v1): spec.num: Invalid value: 1: spec.num in body should be greater than or equal to 2`},
	},
	"type changed": {
		current: []string{"v1", `{type: object, properties: {num: {type: string}}}`},
		changed: []string{"v1", `{type: object, properties: {num: {type: integer}}}`},
		objects: map[string]string{"x": `{num: "1"}`},
		want:    []string{`default/x (v1): spec.num: Invalid value: "string": spec.num in body must be of type integer: "string"`},
	},
	"int or string": {
		current: []string{"v1", `{type: object, properties: {port: {x-kubernetes-int-or-string: true}}}`},
		changed: []string{"v1", `{type: object, properties: {port: {type: integer}}}`},
		objects: map[string]string{"x": `{port: 80}`, "y": `{port: http}`},
		want:    []string{`default/y (v1): spec.port: Invalid value: "string": spec.port in body must be of type integer: "string"`},
	},
	"becomes int or string": {
		current: []string{"v1", `{type: object, properties: {port: {type: integer}}}`},
		changed: []string{"v1", `{type: object, properties: {port: {x-kubernetes-int-or-string: true}}}`},
		objects: map[string]string{"x": `{port: 80}`},
	},
	"rule added": {
		current: []string{"v1", `{type: object, properties: {min: {type: integer}, max: {type: integer}}}`},
		changed: []string{"v1", `{type: object, properties: {min: {type: integer}, max: {type: integer}}, x-kubernetes-validations: [{rule: "self.min <= self.max", message: min must not be above max}]}`},
		objects: map[string]string{"x": `{min: 2, max: 1}`, "y": `{min: 1, max: 2}`},
		want:    []string{`default/x (v1): spec: Invalid value: min must not be above max`},
	},
	"rule changed": {
		current: []string{"v1", `{type: object, properties: {num: {type: integer}}, x-kubernetes-validations: [{rule: "self.num < 5", message: below 5}]}`},
		changed: []string{"v1", `{type: object, properties: {num: {type: integer}}, x-kubernetes-validations: [{rule: "self.num < 5", message: below 5}, {rule: "self.num < 3", message: below 3}]}`},
		objects: map[string]string{"x": `{num: 4}`, "y": `{num: 6}`, "z": `{num: 1}`},
		want:    []string{`default/x (v1): spec: Invalid value: below 3`, `default/y (v1): spec: Invalid value: below 3`},
	},
	"rule of a default": {
		current: []string{"v1", `{type: object, properties: {a: {type: string}}}`},
		changed: []string{"v1", `{type: object, properties: {a: {type: string}, num: {type: integer, default: 3}}, x-kubernetes-validations: [{rule: "self.num == 3"}]}`},
		objects: map[string]string{"x": `{a: b}`},
	},
	"rule of transitions": {
		current: []string{"v1", `{type: object, properties: {num: {type: integer}}}`},
		changed: []string{"v1", `{type: object, properties: {num: {type: integer, x-kubernetes-validations: [{rule: "self > oldSelf"}]}}}`},
		objects: map[string]string{"x": `{num: 1}`},
	},
	"rules are not run on what has the wrong shape": {
		current: []string{"v1", `{type: object, properties: {num: {x-kubernetes-int-or-string: true}}}`},
		changed: []string{"v1", `{type: object, properties: {num: {type: integer, x-kubernetes-validations: [{rule: "self > 1"}]}}}`},
		objects: map[string]string{"x": `{num: many}`},
		want:    []string{`default/x (v1): spec.num: Invalid value: "string": spec.num in body must be of type integer: "string"`},
	},
	"unknown fields kept before": {
		current: []string{"v1", `{type: object, x-kubernetes-preserve-unknown-fields: true}`},
		changed: []string{"v1", `{type: object, properties: {a: {type: string}}}`},
		objects: map[string]string{"x": `{a: b, foo: {bar: 1}}`},
		want:    []string{`default/x: spec.foo would be dropped`},
	},
	"dropped already": {
		current: []string{"v1", `{type: object, properties: {a: {type: string}}}`},
		changed: []string{"v1", `{type: object, properties: {a: {type: string}, foo: {type: object}}}`},
		objects: map[string]string{"x": `{a: b, foo: {bar: 1}}`},
	},
	"unknown fields kept now": {
		current: []string{"v1", `{type: object, properties: {a: {type: string}, foo: {type: object, properties: {bar: {type: integer}}}}}`},
		changed: []string{"v1", `{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}`},
		objects: map[string]string{"x": `{a: b, foo: {bar: 1}}`},
	},
	"field of a map": {
		current: []string{"v1", `{type: object, additionalProperties: {type: object, properties: {a: {type: string}, b: {type: string}}}}`},
		changed: []string{"v1", `{type: object, additionalProperties: {type: object, required: [a], properties: {a: {type: string}}}}`},
		objects: map[string]string{"x": `{one: {a: c, b: d}, two: {b: d}}`},
		want:    []string{`default/x: spec.one.b, spec.two.b would be dropped`, `default/x (v1): spec.two.a: Required value`},
	},
	"nullable no more": {
		current: []string{"v1", `{type: object, properties: {a: {type: string, nullable: true}, b: {type: string, nullable: true}}}`},
		changed: []string{"v1", `{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}`},
		objects: map[string]string{"x": `{a: null, b: null}`, "y": `{a: c, b: null}`},
		want:    []string{`default/x (v1): spec.a: Required value`},
	},
	"nullable no more, with a default": {
		current: []string{"v1", `{type: object, properties: {a: {type: string, nullable: true}}}`},
		changed: []string{"v1", `{type: object, required: [a], properties: {a: {type: string, default: c}}}`},
		objects: map[string]string{"x": `{a: null}`},
	},
	"list becomes a map": {
		current: []string{"v1", `{type: object, properties: {ports: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer}}}}}}`},
		changed: []string{"v1", `{type: object, properties: {ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer}}}}}}`},
		objects: map[string]string{"x": `{ports: [{name: a, port: 1}, {name: a, port: 2}]}`, "y": `{ports: [{name: a}, {name: b}]}`},
		want:    []string{`default/x (v1): spec.ports[1]: Duplicate value: {"name":"a"}`},
	},
	"list becomes a set": {
		current: []string{"v1", `{type: object, properties: {tags: {type: array, items: {type: string}}}}`},
		changed: []string{"v1", `{type: object, properties: {tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}`},
		objects: map[string]string{"x": `{tags: [a, b, a]}`},
		want:    []string{`default/x (v1): spec.tags[2]: Duplicate value: "a"`},
	},
	"object becomes a resource": {
		current: []string{"v1", `{type: object, properties: {template: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`},
		changed: []string{"v1", `{type: object, properties: {template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}`},
		objects: map[string]string{
			"typed":       `{template: {apiVersion: v1, kind: Pod, metadata: {name: a, labels: {b: c}}, spec: {}}}`,
			"untyped":     `{template: {metadata: {name: a}}}`,
			"mislabelled": `{template: {apiVersion: v1, kind: Pod, metadata: {labels: {"a b": c}}}}`,
			"malformed":   `{template: {apiVersion: v1, kind: Pod, metadata: {labels: 7}}}`,
			"unknown":     `{template: {apiVersion: v1, kind: Pod, metadata: {colour: red}}}`,
		},
		want: []string{
			`default/malformed: spec.template.metadata would be dropped`,
			`default/mislabelled (v1): spec.template.metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
			`default/unknown: spec.template.metadata.colour would be dropped`,
			`default/untyped (v1): spec.template.apiVersion: Required value; spec.template.kind: Required value`,
		},
	},
	"version added": {
		current: []string{"v1beta1", `{type: object, properties: {a: {type: string}, b: {type: string}}}`},
		changed: []string{"v1", `{type: object, required: [c], properties: {a: {type: string}, c: {type: string}}}`, "v1beta1", `{type: object, properties: {a: {type: string}, b: {type: string}}}`},
		objects: map[string]string{"x": `{a: d, b: e}`, "y": `{a: d}`},
		want: []string{
			`default/x: spec.b would be dropped`, `default/x (v1): spec.c: Required value`, `default/y (v1): spec.c: Required value`,
		},
	},
	"storage moves": {
		current: []string{"v1beta1", `{type: object, properties: {a: {type: string}, b: {type: string}}}`, "v1", `{type: object, required: [c], properties: {a: {type: string}, c: {type: string}}}`},
		changed: []string{"v1", `{type: object, required: [c], properties: {a: {type: string}, c: {type: string}}}`, "v1beta1", `{type: object, properties: {a: {type: string}, b: {type: string}}}`},
		objects: map[string]string{"x": `{a: d, b: e}`, "y": `{a: d}`},
		want:    []string{`default/x: spec.b would be dropped`},
	},
	"version removed": {
		current: []string{"v1alpha1", `{type: object, properties: {a: {type: string}, b: {type: string}}}`, "v1", `{type: object, properties: {a: {type: string}, b: {type: string}}}`},
		changed: []string{"v1", `{type: object, required: [c], properties: {a: {type: string}, c: {type: string}}}`},
		objects: map[string]string{"x": `{a: d, b: e}`, "y": `{a: d}`},
		want: []string{
			`version v1alpha1 would be gone; objects of it: default/x, default/y; status.storedVersions has it: keep it, with served: false, until no object is stored in it`,
			`default/x: spec.b would be dropped`, `default/x (v1): spec.c: Required value`, `default/y (v1): spec.c: Required value`,
		},
	},
}
