package api

import (
	"context"
	"encoding/json"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

const crdsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// Install creates a CRD and waits until it is established, with no more than an API.
func (a *Server) Install(ctx context.Context, ended <-chan struct{}, crd []byte) error {
	object, err := yaml.YAMLToJSON(crd)
	if err != nil {
		return err
	}
	var named metav1.PartialObjectMetadata
	if err := json.Unmarshal(object, &named); err != nil {
		return err
	}
	if err := a.Insist(ctx, ended, crdsPath, object); err != nil {
		return err
	}
	return program.Poll(ctx, ended, func(ctx context.Context) bool {
		data, err := a.Client.Get().AbsPath(crdsPath, named.Name).DoRaw(ctx)
		var got apiextv1.CustomResourceDefinition
		if err != nil || json.Unmarshal(data, &got) != nil {
			return false
		}
		for _, c := range got.Status.Conditions {
			if c.Type == apiextv1.Established && c.Status == apiextv1.ConditionTrue {
				return true
			}
		}
		return false
	})
}
