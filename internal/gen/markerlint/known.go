package markerlint

// The tags that code-generator and kube-openapi know. A test reads the sources of upstream and holds the lists to them.
var (
	genclientTags = []string{
		"genclient", "genclient:nonNamespaced", "genclient:noVerbs", "genclient:onlyVerbs", "genclient:skipVerbs",
		"genclient:noStatus", "genclient:readonly", "genclient:method",
	}

	// packageTags are read in doc.go and nowhere else. Those in typeTags are read on types as well.
	packageTags = []string{
		"k8s:applyconfiguration-gen", "k8s:client-gen", "k8s:conversion-gen", "k8s:conversion-gen-external-types",
		"k8s:deepcopy-gen", "k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:informer-gen", "k8s:lister-gen",
		"k8s:openapi-gen", "k8s:openapi-model-package", "k8s:prerelease-lifecycle-gen", "k8s:protobuf-gen",
		"k8s:register-gen", "k8s:validation-gen", "k8s:validation-gen-input", "k8s:validation-gen-nolint",
		"k8s:validation-gen-scheme-registry", "k8s:validation-gen-test-fixture", "k8s:validation-gen-test-targets",
	}
	typeTags = []string{
		"k8s:conversion-gen", "k8s:deepcopy-gen", "k8s:defaulter-gen", "k8s:openapi-gen", "k8s:openapi-model-package",
		"k8s:prerelease-lifecycle-gen", "k8s:protobuf-gen", "k8s:validation-gen", "k8s:validation-gen-nolint",
	}

	// typeOnlyTags are read on types and nowhere else.
	typeOnlyTags = []string{
		"k8s:deepcopy-gen:interfaces", "k8s:deepcopy-gen:nonpointer-interfaces", "k8s:prerelease-lifecycle-gen:deprecated",
		"k8s:prerelease-lifecycle-gen:introduced", "k8s:prerelease-lifecycle-gen:removed",
		"k8s:prerelease-lifecycle-gen:replacement",
	}

	// k8sTags are all tags with this prefix, of every version from v0.30 on.
	k8sTags = append([]string{
		"k8s:conversion-fn", "k8s:conversion-gen:explicit-from", "k8s:deepcopy-gen:interfaces",
		"k8s:deepcopy-gen:nonpointer-interfaces", "k8s:prerelease-lifecycle-gen:deprecated",
		"k8s:prerelease-lifecycle-gen:introduced", "k8s:prerelease-lifecycle-gen:removed",
		"k8s:prerelease-lifecycle-gen:replacement",
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
	}, packageTags...)

	// foreignPrefixes begin names that are not ours to judge: kube-openapi's own validations, kubebuilder's scaffolding,
	// and generators of documents.
	foreignPrefixes = []string{
		"k8s:validation:", "k8s:verify-mutation:", "kubebuilder:scaffold", "kubebuilder:docs-gen", "kubebuilder:doc:",
	}
)
