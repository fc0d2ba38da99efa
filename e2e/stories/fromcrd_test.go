// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/corpus/roundtrip"
	"github.com/crdctl/crdctl/internal/crdimport"
)

// importedCRDs are of different shapes: lists that are maps, rules of CEL, oneOf, embedded pods, values of which nothing is known.
var importedCRDs = []string{
	"analysistemplates.argoproj.io", "bgppeers.metallb.io", "certificates.cert-manager.io", "challenges.acme.cert-manager.io",
	"dnsendpoints.externaldns.k8s.io", "httproutes.gateway.networking.k8s.io", "kubeadmconfigs.bootstrap.cluster.x-k8s.io",
	"nodepools.karpenter.sh", "scaledobjects.keda.sh", "schedules.velero.io", "serviceentries.networking.istio.io",
	"telemetries.telemetry.istio.io", "volumesnapshots.snapshot.storage.k8s.io", "envoyfilters.networking.istio.io",
	// Those of internal/crdimport/testdata, each of which has all of one sort of thing.
	"hostiles.golden.example.com", "junctors.golden.example.com", "objects.golden.example.com", "scalars.golden.example.com",
}

// TestFromCRDIsTheSameToAnAPIServer sends random objects, valid ones and ones with a mistake, to CRDs of public projects and
// to those that are made of the types which were imported from them: what the one accepts the other accepts, and stores the
// same of it.
func TestFromCRDIsTheSameToAnAPIServer(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	t.Cleanup(func() { _, _, _ = w.try(dir, crdctl, "cluster", "stop") })
	pairs := w.importedPairs()
	w.run(dir, crdctl, "cluster", "start")
	var text []byte
	for _, p := range pairs {
		for _, crd := range []*apiextv1.CustomResourceDefinition{p.original, p.made} {
			document, err := yaml.Marshal(crd)
			require.NoError(t, err)
			text = append(append(text, "---\n"...), document...)
		}
	}
	file := filepath.Join(w.dir, "crds.yaml")
	w.write(file, string(text))
	w.run(dir, crdctl, "kubectl", "create", "-f", file)
	w.run(dir, crdctl, "kubectl", "wait", "--for=condition=Established", "--timeout=2m", "-f", file)
	config := configFor(t, filepath.Join(dir, ".crdctl/cluster/kubeconfig"))
	config.WarningHandler = rest.NoWarnings{} // some versions are deprecated
	client := dynamic.NewForConfigOrDie(config)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const each = 150
	accepted, refused := 0, 0
	for _, p := range pairs {
		of, last := 0, error(nil)
		for _, version := range p.made.Spec.Versions {
			if !version.Served {
				continue
			}
			both := sameCRD{client, p, version.Name}
			for i := range each / len(p.made.Spec.Versions) {
				o := objects{random, rarely(i)}
				object := o.root(p.schema(version.Name), p.original)
				for range i % 3 {
					o.mistake(object)
				}
				if err := both.holds(t, object); err != nil {
					refused++
					last = err
				} else {
					of++
				}
			}
		}
		accepted += of
		t.Logf("%s: %d accepted; the last that was refused: %v", p.original.Name, of, last)
		assert.NotZero(t, of, "%s: no object was accepted; the last error is %v", p.original.Name, last)
	}
	t.Logf("%d objects accepted and %d refused by both CRDs of %d kinds", accepted, refused, len(pairs))
	assert.GreaterOrEqual(t, accepted, 100, "too few of one sort to say anything")
	assert.GreaterOrEqual(t, refused, 100, "too few of one sort to say anything")
}

// crdPair is a CRD, and what was made of the types that were imported from it, in another group.
type crdPair struct {
	original, made *apiextv1.CustomResourceDefinition
}

func (p crdPair) schema(version string) *apiextv1.JSONSchemaProps {
	i := slices.IndexFunc(p.original.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	return p.original.Spec.Versions[i].Schema.OpenAPIV3Schema
}

func (w *world) importedPairs() (pairs []crdPair) {
	w.Helper()
	var types []roundtrip.Types
	var originals []*apiextv1.CustomResourceDefinition
	for _, f := range w.filesWithCRDs() {
		if !slices.ContainsFunc(importedCRDs, func(name string) bool { return strings.Contains(string(f.Content), name) }) {
			continue
		}
		definitions, err := crdimport.Read(f.Name, f.Content, nil)
		require.NoError(w, err)
		for _, d := range definitions {
			if !slices.Contains(importedCRDs, d.CRD.Name) {
				continue
			}
			originals = append(originals, d.CRD)
			for _, v := range d.Versions {
				types = append(types, roundtrip.Types{Group: d.Group, Version: v.Name, Kind: d.Kind, File: v.Types})
				for _, l := range v.Losses {
					if !strings.HasPrefix(l.What, "in Go:") && !strings.HasPrefix(l.Path, "crd.") && !strings.HasPrefix(l.What, "x-kubernetes-validations: the fieldPath") {
						w.Errorf("%s has losses, and cannot be compared: %s", d.CRD.Name, l)
					}
				}
			}
		}
	}
	assert.Len(w, originals, len(importedCRDs), "CRDs found")
	made, err := roundtrip.Back(w.Context(), w.TempDir(), "../..", types)
	require.NoError(w, err)
	for _, original := range originals {
		again := made[original.Name].DeepCopy()
		again.Spec.Group = strings.ReplaceAll(original.Spec.Group, ".", "-") + ".again.example.com"
		again.Name = again.Spec.Names.Plural + "." + again.Spec.Group
		for _, crd := range []*apiextv1.CustomResourceDefinition{original, again} {
			crd.Spec.Conversion = nil // no webhook is there to be asked
			for i := range crd.Spec.Versions {
				crd.Spec.Versions[i].Subresources = nil // else a status is not looked at
			}
			crd.Spec.Names.ShortNames, crd.Spec.Names.Categories = nil, nil
		}
		pairs = append(pairs, crdPair{original, again})
	}
	return pairs
}

// filesWithCRDs are those of public projects, and the inputs of the golden files.
func (w *world) filesWithCRDs() (all []roundtrip.File) {
	w.Helper()
	for _, source := range roundtrip.Sources {
		files, err := source.Files(w.Context(), w.dir)
		require.NoError(w, err)
		all = append(all, files...)
	}
	golden, err := filepath.Glob("../../internal/crdimport/testdata/*.txtar")
	require.NoError(w, err)
	for _, file := range golden {
		archive, err := txtar.ParseFile(file)
		require.NoError(w, err)
		all = append(all, roundtrip.File{Name: filepath.Base(file), Content: archive.Files[0].Data})
	}
	return all
}

// sameCRD is a pair on an API server.
type sameCRD struct {
	client dynamic.Interface
	crdPair
	version string
}

// holds sends an object to both, and returns why they refused it.
func (c sameCRD) holds(t *testing.T, object map[string]any) error {
	t.Helper()
	was, wasErr := c.create(t.Context(), c.original, object)
	is, isErr := c.create(t.Context(), c.made, object)
	text := func(v any) string {
		out, err := json.Marshal(v)
		return fmt.Sprint(string(out), err)
	}
	switch {
	case (wasErr == nil) != (isErr == nil):
		t.Errorf("%s %s: one accepts what the other refuses: %v; %v\n%s", c.original.Name, c.version, wasErr, isErr, text(object))
	case !reflect.DeepEqual(was, is):
		t.Errorf("%s %s: stored are\n%s\nand\n%s\nof\n%s", c.original.Name, c.version, text(was), text(is), text(object))
	}
	for _, err := range []error{wasErr, isErr} {
		if err != nil && !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
			t.Fatalf("%s: %v", c.original.Name, err)
		}
	}
	return wasErr
}

// create tries an object, and returns what would be stored of it but for what bears the group's name or a time.
func (c sameCRD) create(ctx context.Context, crd *apiextv1.CustomResourceDefinition, object map[string]any) (map[string]any, error) {
	u := (&unstructured.Unstructured{Object: object}).DeepCopy()
	u.SetAPIVersion(crd.Spec.Group + "/" + c.version)
	u.SetKind(crd.Spec.Names.Kind)
	var client dynamic.ResourceInterface
	resource := c.client.Resource(schema.GroupVersionResource{Group: crd.Spec.Group, Version: c.version, Resource: crd.Spec.Names.Plural})
	if client = resource; crd.Spec.Scope == apiextv1.NamespaceScoped {
		client = resource.Namespace("default")
	}
	made, err := client.Create(ctx, u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationIgnore})
	var status *apierrors.StatusError
	if err != nil && !errors.As(err, &status) {
		return nil, err
	}
	if err != nil {
		return nil, status
	}
	delete(made.Object, "apiVersion")
	delete(made.Object, "metadata")
	return made.Object, nil
}
