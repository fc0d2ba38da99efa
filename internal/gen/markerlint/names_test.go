// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/text"
)

// Other words are not slips of known tags; the fixtures have slips.
func TestOtherWords(t *testing.T) {
	for _, name := range []string{"k8s:minWeight", "k8s:set-gen", "k8s:maxWords", "genclient:frobnicate"} {
		assert.Empty(t, text.DidYouMean(name, slices.Concat(genclientTags, k8sTags)), name)
	}
}

func TestFamilyOf(t *testing.T) {
	for tag, want := range map[string]family{
		"genclient": genclientFamily, "genclient:x=y": genclientFamily, "genClient": genclientFamily, "gencleint:noVerbs": genclientFamily,
		"k8s:x": k8sFamily, "K8s:deepcopy-gen=package": k8sFamily, "k8:deepcopy-gen=package": k8sFamily, "k8s-deepcopy-gen=package": k8sFamily,
		"kubebuilder:x": kubebuilderFamily, "kubebuidler:object:root=true": kubebuilderFamily, "Kubebuilder:object:root=true": kubebuilderFamily,
		"groupName=a.b": nameFamily, "groupname=a.b": nameFamily, "group-name=a.b": nameFamily, "groupsName=a": nameFamily, "resourceName": nameFamily,
		"": none, "optional": none, "client": none, "listType=map": none, "default=1": none, "k8s": none, "kubebuilder": none,
		"build linux": none, "genset": none, "enum": none, "k3s:foo": none, "groupname of the thing": none, "resource:path=a": none,
	} {
		assert.Equal(t, want, familyOf(tag), "familyOf(%q) =", tag)
	}
}
