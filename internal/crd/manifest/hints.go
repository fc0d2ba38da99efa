// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Complete refuses a CRD without what it cannot be without, and says where it stands instead, if anywhere: a wrong
// indentation is how it gets lost.
func Complete(crd *apiextv1.CustomResourceDefinition, asJSON []byte) error {
	var gone []string
	for path, there := range map[string]bool{
		"metadata.name": crd.Name != "", "spec.group": crd.Spec.Group != "", "spec.scope": crd.Spec.Scope != "",
		"spec.names.kind": crd.Spec.Names.Kind != "", "spec.names.plural": crd.Spec.Names.Plural != "",
		"spec.versions": len(crd.Spec.Versions) > 0,
	} {
		if !there {
			gone = append(gone, path)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	said := "has no " + strings.Join(gone, ", ")
	var places []string
	for _, path := range gone {
		if crd.Spec.Names.Kind == "" && crd.Spec.Names.Plural == "" && strings.HasPrefix(path, "spec.names.") {
			path = "spec.names" // it has moved as one
		}
		if at := elsewhere(asJSON, path); at != "" && !slices.Contains(places, path+" is at "+at) {
			places = append(places, path+" is at "+at)
		}
	}
	if len(places) == 0 {
		return errors.New(said + "; add what is missing")
	}
	return fmt.Errorf("%s; %s: correct the indentation", said, strings.Join(places, ", "))
}

// elsewhere is where a field of a CRD stands that is missing at its path: the first place with a field of that name whose
// value could be it. Empty if there is none.
func elsewhere(asJSON []byte, path string) string {
	var object map[string]any
	if json.Unmarshal(asJSON, &object) != nil {
		return ""
	}
	key := path[strings.LastIndex(path, ".")+1:]
	could := func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			return key == "names" && (v["kind"] != nil || v["plural"] != nil)
		case []any:
			return key == "versions" && len(v) > 0
		case string:
			if key == "scope" {
				return strings.EqualFold(v, "Namespaced") || strings.EqualFold(v, "Cluster")
			}
			return key != "names" && key != "versions" && v != ""
		}
		return false
	}
	return findKey("", object, path, key, could)
}

// findKey looks for a key below a value, in the order of the keys. A property that a schema names is none.
func findKey(at string, value any, not, key string, could func(any) bool) string {
	switch value := value.(type) {
	case map[string]any:
		if !strings.HasSuffix(at, ".properties") {
			if own := strings.TrimPrefix(at+"."+key, "."); own != not && value[key] != nil && could(value[key]) {
				return own
			}
		}
		for _, k := range slices.Sorted(maps.Keys(value)) {
			if found := findKey(strings.TrimPrefix(at+"."+k, "."), value[k], not, key, could); found != "" {
				return found
			}
		}
	case []any:
		for i, v := range value {
			if found := findKey(fmt.Sprintf("%s[%d]", at, i), v, not, key, could); found != "" {
				return found
			}
		}
	}
	return ""
}
