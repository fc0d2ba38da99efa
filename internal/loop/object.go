package loop

import (
	"bytes"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is a cached object for reading. It is shared by everyone who follows the kind, so it gives out no maps; how it
// is kept in memory is the feed's secret.
type Object struct {
	stored *unstructured.Unstructured
}

// Meta is for reading only: its setters would change the cache.
func (o *Object) Meta() metav1.Object { return o.stored }

// MarshalJSON is the whole object, without what the cache leaves out.
func (o *Object) MarshalJSON() ([]byte, error) { return compactJSON(o.stored.Object) }

// SpecJSON is what the object asks for, as compact JSON with sorted keys: spec, or for a kind without one everything
// but metadata and status.
func (o *Object) SpecJSON() ([]byte, error) {
	if spec, ok := o.stored.Object["spec"]; ok {
		return compactJSON(spec)
	}
	rest := map[string]any{}
	for name, value := range o.stored.Object {
		switch name {
		case "apiVersion", "kind", "metadata", "status":
		default:
			rest[name] = value
		}
	}
	return compactJSON(rest)
}

// compactJSON leaves < > & as they are, which json.Marshal does not: people read this.
func compactJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
