package markerlint

import "testing"

func TestNearest(t *testing.T) {
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
		if got := nearest(name, names); got != want {
			t.Errorf("nearest(%s) = %q, want %q", name, got, want)
		}
	}
	// A later version may bring what is missing in a pair.
	if got := nearest("k8s:minBytes", []string{"k8s:maxBytes"}); got != "" {
		t.Errorf("min is taken for max: %s", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "axc", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestFamilyOf(t *testing.T) {
	for text, want := range map[string]family{
		"genclient": genclientFamily, "genclient:x=y": genclientFamily, "genClient": genclientFamily, "gencleint:noVerbs": genclientFamily,
		"k8s:x": k8sFamily, "K8s:deepcopy-gen=package": k8sFamily, "k8:deepcopy-gen=package": k8sFamily, "k8s-deepcopy-gen=package": k8sFamily,
		"kubebuilder:x": kubebuilderFamily, "kubebuidler:object:root=true": kubebuilderFamily, "Kubebuilder:object:root=true": kubebuilderFamily,
		"groupName=a.b": nameFamily, "groupname=a.b": nameFamily, "group-name=a.b": nameFamily, "groupsName=a": nameFamily, "resourceName": nameFamily,
		"": none, "optional": none, "client": none, "listType=map": none, "default=1": none, "k8s": none, "kubebuilder": none,
		"build linux": none, "genset": none, "enum": none, "k3s:foo": none, "groupname of the thing": none, "resource:path=a": none,
	} {
		if got := familyOf(text); got != want {
			t.Errorf("familyOf(%q) = %d, want %d", text, got, want)
		}
	}
}
