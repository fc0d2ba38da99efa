// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"slices"
	"strings"
)

// rule is what is known of a tag: where it is read, anywhere if that is 0, and the values that a nearly equal one means.
type rule struct {
	name   string
	where  readIn
	values []string
}

type readIn int

const (
	inDoc readIn = 1 << iota // in doc.go
	onTypes
)

var boolean = []string{"true", "false"}

// The tags that code-generator and kube-openapi know. A test reads the sources of upstream and holds the lists to them.
var (
	genclientTags = []string{
		"genclient", "genclient:nonNamespaced", "genclient:noVerbs", "genclient:onlyVerbs", "genclient:skipVerbs",
		"genclient:noStatus", "genclient:readonly", "genclient:method",
	}

	// nameTags are the tags of client-gen and its friends that have no prefix.
	nameTags = []string{"groupName", "groupGoName", "resourceName"}

	generatorRules = []rule{
		{"k8s:conversion-fn", 0, []string{"copy-only", "drop"}},
		{"k8s:conversion-gen:explicit-from", 0, nil},
		{"k8s:deepcopy-gen:interfaces", onTypes, nil},
		{"k8s:deepcopy-gen:nonpointer-interfaces", onTypes, boolean},
		{"k8s:prerelease-lifecycle-gen:deprecated", onTypes, nil},
		{"k8s:prerelease-lifecycle-gen:introduced", onTypes, nil},
		{"k8s:prerelease-lifecycle-gen:removed", onTypes, nil},
		{"k8s:prerelease-lifecycle-gen:replacement", onTypes, nil},
		{"k8s:applyconfiguration-gen", inDoc, nil},
		{"k8s:client-gen", inDoc, nil},
		{"k8s:conversion-gen", inDoc | onTypes, nil},
		{"k8s:conversion-gen-external-types", inDoc, nil},
		{"k8s:deepcopy-gen", inDoc | onTypes, nil},
		{"k8s:defaulter-gen", inDoc | onTypes, nil},
		{"k8s:defaulter-gen-input", inDoc, nil},
		{"k8s:informer-gen", inDoc, nil},
		{"k8s:lister-gen", inDoc, nil},
		{"k8s:openapi-gen", inDoc | onTypes, boolean},
		{"k8s:openapi-model-package", inDoc | onTypes, nil},
		{"k8s:prerelease-lifecycle-gen", inDoc | onTypes, boolean},
		{"k8s:protobuf-gen", inDoc | onTypes, nil},
		{"k8s:register-gen", inDoc, boolean},
		{"k8s:validation-gen", inDoc | onTypes, nil},
		{"k8s:validation-gen-input", inDoc, nil},
		{"k8s:validation-gen-nolint", inDoc | onTypes, nil},
		{"k8s:validation-gen-scheme-registry", inDoc, nil},
		{"k8s:validation-gen-test-fixture", inDoc, nil},
		{"k8s:validation-gen-test-targets", inDoc, nil},
	}

	// k8sTags are all tags with this prefix, of every version from v0.30 on.
	k8sTags = append([]string{
		// of validation-gen
		"k8s:alpha", "k8s:beta", "k8s:customUnique", "k8s:customValidation", "k8s:declarativeValidationNative",
		"k8s:dependentForbidden", "k8s:dependentRequired", "k8s:eachKey", "k8s:eachVal", "k8s:enum", "k8s:enumExclude",
		"k8s:forbidden", "k8s:format", "k8s:ifDisabled", "k8s:ifEnabled", "k8s:ifMode", "k8s:ifOptionDisabled",
		"k8s:ifOptionEnabled", "k8s:immutable", "k8s:isSubresource", "k8s:item", "k8s:listMapKey", "k8s:listType",
		"k8s:maxBytes", "k8s:maxItems", "k8s:maxLength", "k8s:maxProperties", "k8s:maximum", "k8s:minItems",
		"k8s:minLength", "k8s:minProperties", "k8s:minimum", "k8s:modeDiscriminator", "k8s:monotonic", "k8s:neq",
		"k8s:opaqueType", "k8s:optional", "k8s:required", "k8s:subfield", "k8s:supportsSubresource",
		"k8s:unionDiscriminator", "k8s:unionMember", "k8s:unique", "k8s:update", "k8s:validateError",
		"k8s:validateFalse", "k8s:validateTrue", "k8s:validateTrueAlpha", "k8s:validateTrueBeta",
		"k8s:zeroOrOneOfMember",
		// of linters, and of protobuf fields that are gone
		"k8s:deprecated", "k8s:verify-mutation",
	}, namesOf(generatorRules)...)

	// foreignPrefixes begin names that are not ours to judge: kube-openapi's own validations, kubebuilder's scaffolding,
	// and generators of documents.
	foreignPrefixes = []string{
		"k8s:validation:", "k8s:verify-mutation:", "kubebuilder:scaffold", "kubebuilder:docs-gen", "kubebuilder:doc:",
	}

	// fieldTags are the tags of fields that have no prefix, of kube-openapi and controller-tools.
	fieldTags = []string{
		"optional", "required", "nullable", "default", "listType", "listMapKey", "mapType", "structType", "patchStrategy", "patchMergeKey", "protobuf", "enum", "union", "unionDiscriminator", "unionDeprecated",
	}
)

func namesOf(rules []rule) (names []string) {
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}

// ruleOf is what is known of a tag of a generator. Of all others nothing is known but the name.
func ruleOf(name string) rule {
	if i := slices.IndexFunc(generatorRules, func(r rule) bool { return r.name == name }); i >= 0 {
		return generatorRules[i]
	}
	return rule{name: name}
}

func isForeign(name string) bool {
	return slices.ContainsFunc(foreignPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
