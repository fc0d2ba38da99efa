// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/operator/composite"
	"github.com/crdctl/crdctl/internal/operator/controller"
)

// Sketch is an object that may not be in the API server.
type Sketch struct {
	from    string // the file, for errors
	content map[string]any
}

// previewPatience is how long a preview waits for a CRD, or for the kind of a child to be served: as long as an API server takes for
// one that it was just given. A loop waits for ever; who asks for a preview wants an answer.
const previewPatience = 5 * time.Second

// Render prints what the hook or the templates would do for an object, as a diff, and changes nothing.
func Render(ctx context.Context, o Options, sketch *Sketch) error {
	c, err := open(o)
	if err != nil {
		return err
	}
	c.patience = previewPatience
	kinds, err := c.kinds(ctx)
	if err != nil {
		return err
	}
	kind, err := kindOf(sketch.content, kinds, sketch.from)
	if err != nil {
		return err
	}
	decider, err := c.decider()
	if err != nil {
		return err
	}
	defer decider.Close()
	options, err := c.compositeOptions(ctx, decider)
	if err != nil {
		return err
	}
	preview, err := composite.Show(ctx, options, controller.Handle{
		Kind: kind, Client: c.client, Record: func(controller.ObjectReference, string, string, string) {},
	}, sketch.from, sketch.content)
	if preview != nil {
		err = errors.Join(print(c.Out, preview, err == nil), err)
	}
	return err
}

// ReadSketch reads the one object that is in a file; "-" is standard input.
func ReadSketch(file string, in io.Reader) (*Sketch, error) {
	data, err := os.ReadFile(file)
	if file == "-" {
		file = "standard input"
		data, err = io.ReadAll(in)
	}
	if err != nil {
		return nil, fmt.Errorf("read the object: %w", err)
	}
	sketch := &Sketch{from: file}
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var content map[string]any
		if err == nil {
			err = yaml.Unmarshal(document, &content)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w; --render takes one object, as YAML or JSON", file, err)
		case len(content) == 0: // comments, or nothing
		case sketch.content != nil:
			return nil, fmt.Errorf("%s: more than one object; --render takes one object per file", file)
		default:
			sketch.content = content
		}
	}
	meta, _ := sketch.content["metadata"].(map[string]any)
	if name, _ := meta["name"].(string); name == "" {
		return nil, fmt.Errorf("%s: no object with a metadata.name; --render takes one object, as YAML or JSON", file)
	}
	return sketch, nil
}

// CheckKind reports an object whose kind a controller of the options' CRDs does not have. Those that it is to read from the cluster by name
// are not known yet.
func (s *Sketch) CheckKind(o Options) error {
	if len(o.CRDNames) > 0 {
		return nil
	}
	kinds, err := controller.KindsOf(o.CRDs...)
	if err != nil {
		return err
	}
	_, err = kindOf(s.content, kinds, s.from)
	return err
}

func kindOf(content map[string]any, kinds []controller.Kind, file string) (controller.Kind, error) {
	apiVersion, _ := content["apiVersion"].(string)
	name, _ := content["kind"].(string)
	var known []string
	for _, k := range kinds {
		known = append(known, k.Resource.GroupVersion().String()+" "+k.Kind)
		if k.Kind != name || k.Resource.GroupVersion().String() != apiVersion {
			continue
		}
		if meta, ok := content["metadata"].(map[string]any); ok && k.Namespaced && meta["namespace"] == nil {
			meta["namespace"] = "default"
		}
		return k, nil
	}
	return controller.Kind{}, fmt.Errorf("%s: the controller does not watch %s %s; --render takes an object of %s", file, apiVersion, name, strings.Join(known, " or "))
}

// print writes the preview as a diff, and everything but objects after it. One that is not whole does not say that nothing would change.
func print(out io.Writer, p *composite.Preview, whole bool) error {
	var b strings.Builder
	changes := 0
	for _, change := range p.Changes {
		before, err := show(change.Before)
		if err != nil {
			return err
		}
		after, err := show(change.After)
		if err != nil {
			return err
		}
		if before != after {
			changes++
			diff, err := diffOf(change, before, after)
			if err != nil {
				return err
			}
			b.WriteString(diff)
		}
	}
	for _, e := range p.Events {
		fmt.Fprintf(&b, "event: %s %s: %s\n", e.Type, e.Reason, e.Message)
	}
	if p.Finalized {
		b.WriteString("the finalizer would be removed\n")
	}
	if p.ResyncAfter > 0 {
		fmt.Fprintf(&b, "reconciled again after %s\n", p.ResyncAfter)
	}
	if changes == 0 && whole {
		b.WriteString("nothing would change\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func diffOf(change composite.Change, before, after string) (string, error) {
	from, to := change.What+" (now)", change.What+" (after)"
	if change.Before == nil {
		from = "/dev/null"
	}
	if change.After == nil {
		to = "/dev/null"
	}
	return udiff.ToUnified(from, to, before, udiff.Lines(before, after), udiff.DefaultContextLines)
}

// show is an object as text, without what differs from one try to the next.
func show(content map[string]any) (string, error) {
	if content == nil {
		return "", nil
	}
	if meta, ok := content["metadata"].(map[string]any); ok {
		for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
			delete(meta, field)
		}
		references, _ := meta["ownerReferences"].([]any)
		for _, each := range references {
			if reference, ok := each.(map[string]any); ok {
				delete(reference, "uid")
			}
		}
	}
	text, err := yaml.Marshal(content)
	return string(text), err
}
