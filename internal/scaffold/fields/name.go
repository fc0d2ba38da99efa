package fields

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

const (
	specPrefix   = "spec."
	statusPrefix = "status."
	maxName      = 63 // of one name, as of most names in Kubernetes
	maxDepth     = 8  // names in a path
)

var nameRule = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

// methods are those that generated code has, or would have with one tag more, on every type of an API.
var methods = []string{"DeepCopy", "DeepCopyInto", "OpenAPIModelName"}

// given are the fields that every status has.
var given = map[string]bool{"ObservedGeneration": true, "Conditions": true}

// segment is one part of a path: the name, and whether it is a list or a map whose elements the next part is in.
type segment struct{ name, into string }

// splitPath takes a path apart and checks each name.
func splitPath(path string) ([]segment, error) {
	parts := strings.Split(path, ".")
	if len(parts) > maxDepth {
		return nil, fmt.Errorf("%s is a path of %d names; %d is the most", path, len(parts), maxDepth)
	}
	segments := make([]segment, len(parts))
	for i, p := range parts {
		seg := segment{name: p}
		for _, into := range []string{"[]", "{}"} {
			if name, ok := strings.CutSuffix(p, into); ok {
				seg = segment{name, into}
			}
		}
		switch {
		case !nameRule.MatchString(seg.name):
			return nil, fmt.Errorf("the name %q must be lowerCamelCase of ASCII letters and digits, for example cronSpec", seg.name)
		case len(seg.name) > maxName:
			return nil, fmt.Errorf("the name %q is %d characters long; %d is the most", seg.name, len(seg.name), maxName)
		case i == len(parts)-1 && seg.into != "":
			what := map[string]string{"[]": "list", "{}": "map"}[seg.into]
			return nil, fmt.Errorf("a %s is part of the type; write %s:%sTYPE, or %s.NAME:TYPE for a %[1]s of objects", what, strings.TrimSuffix(path, seg.into), prefixes[seg.into], path)
		case slices.Contains(methods, goname.Camel(seg.name)):
			return nil, fmt.Errorf("%s is the name of a generated method; choose another", goname.Camel(seg.name))
		}
		segments[i] = seg
	}
	return segments, nil
}

// prose is a name in words.
func prose(name string) string { return strings.ToLower(strings.Join(goname.Words(name), " ")) }
