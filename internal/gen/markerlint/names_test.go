package markerlint

import (
	"testing"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/stretchr/testify/assert"
)

func TestMisspelledTags(t *testing.T) {
	names := append(append([]string{}, genclientTags...), k8sTags...)
	for name, want := range map[string]string{
		"genclient:nonNamespace":   "genclient:nonNamespaced",
		"genclient:nonnamespaced":  "genclient:nonNamespaced",
		"genclient:NonNamespaced":  "genclient:nonNamespaced",
		"genclient:non-namespaced": "genclient:nonNamespaced",
		"genclient.noStatus":       "genclient:noStatus",
		"genclient:nostaus":        "genclient:noStatus",
		"genclinet":                "genclient",
		"k8s:deepcopygen":          "k8s:deepcopy-gen",
		"k8s:deep-copy-gen":        "k8s:deepcopy-gen",
		"k8s:deepcoyp-gen":         "k8s:deepcopy-gen",
		"k8s:requird":              "k8s:required",
		// No slip of these, but other words.
		"k8s:minWeight":        "",
		"k8s:set-gen":          "",
		"k8s:maxWords":         "",
		"genclient:frobnicate": "",
		"k8s:items":            "k8s:item",
	} {
		assert.Equal(t, want, text.DidYouMean(name, names), "DidYouMean(%s) =", name)
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
