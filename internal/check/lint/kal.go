// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"sync"

	"golang.org/x/tools/go/analysis"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/conditions"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/defaults"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/nomaps"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/optionalfields"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/registry"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/requiredfields"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/ssatags"
	"sigs.k8s.io/kube-api-linter/pkg/config"
	_ "sigs.k8s.io/kube-api-linter/pkg/registration" // its analyzers register themselves
)

// enabled are the analyzers of kube-api-linter that run. It makes its defaults for the types of Kubernetes itself; this is a choice for
// CRDs. Left out are those that need a configuration of the project (conflictingmarkers, dependenttags, forbiddenmarkers,
// namingconventions, preferredmarkers), that are for built-in types (nonpointerstructs), that ask for a style which few projects have
// (commentstart, minlength, nobools), and defaultorrequired, which reports what defaults does.
var enabled = []string{
	"arrayofstruct", "conditions", "defaults", "duplicatemarkers", "integers", "jsontags", "maxlength", "nodurations", "nofloats", "nomaps",
	"nonullable", "nophase", "noreferences", "notimestamp", "optionalfields", "optionalorrequired", "requiredfields", "ssatags",
	"statusoptional", "statussubresource", "uniquemarkers",
}

// profile are the analyzers: those of kube-api-linter for CRDs, and ours.
var profile = sync.OnceValues(func() ([]*analysis.Analyzer, error) {
	all, err := registry.DefaultRegistry().InitializeLinters(config.Linters{Disable: []string{config.Wildcard}, Enable: enabled}, config.LintersConfig{
		"conditions": conditions.ConditionsConfig{
			IsFirstField: conditions.ConditionsFirstFieldIgnore, UseProtobuf: conditions.ConditionsUseProtobufIgnore, UsePatchStrategy: conditions.ConditionsUsePatchStrategyIgnore,
		},
		"defaults": defaults.DefaultsConfig{
			PreferredDefaultMarker: "kubebuilder:default",
			OmitEmpty:              defaults.DefaultsOmitEmpty{Policy: defaults.OmitEmptyPolicyWarn},
			OmitZero:               defaults.DefaultsOmitZero{Policy: defaults.OmitZeroPolicyForbid},
		},
		"nomaps": nomaps.NoMapsConfig{Policy: nomaps.NoMapsAllowStringToStringMaps},
		"optionalfields": optionalfields.OptionalFieldsConfig{
			Pointers:  optionalfields.OptionalFieldsPointers{Preference: optionalfields.OptionalFieldsPointerPreferenceWhenRequired, Policy: optionalfields.OptionalFieldsPointerPolicyWarn},
			OmitEmpty: optionalfields.OptionalFieldsOmitEmpty{Policy: optionalfields.OptionalFieldsOmitEmptyPolicyWarn},
			OmitZero:  optionalfields.OptionalFieldsOmitZero{Policy: optionalfields.OptionalFieldsOmitZeroPolicyForbid},
		},
		"requiredfields": requiredfields.RequiredFieldsConfig{
			Pointers:  requiredfields.RequiredFieldsPointers{Policy: requiredfields.RequiredFieldsPointerPolicyWarn},
			OmitEmpty: requiredfields.RequiredFieldsOmitEmpty{Policy: requiredfields.RequiredFieldsOmitEmptyPolicyIgnore},
			OmitZero:  requiredfields.RequiredFieldsOmitZero{Policy: requiredfields.RequiredFieldsOmitZeroPolicyForbid},
		},
		"ssatags": ssatags.SSATagsConfig{ListTypeSetUsage: ssatags.SSATagsListTypeSetUsageIgnore},
	})
	if err != nil {
		return nil, err
	}
	for i, a := range all {
		all[i] = withoutFixes(a)
	}
	return all, nil
})

// withoutFixes is an analyzer that suggests no fixes, which nothing uses: a fix of a field without a JSON tag has no position, and what checks
// that panics.
func withoutFixes(a *analysis.Analyzer) *analysis.Analyzer {
	own := *a
	own.Run = func(pass *analysis.Pass) (any, error) {
		report := pass.Report
		pass.Report = func(d analysis.Diagnostic) {
			d.SuggestedFixes = nil
			report(d)
		}
		return a.Run(pass)
	}
	return &own
}
