// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// Read lists a source once, without following it.
func Read(ctx context.Context, client rest.Interface, source Source) ([]*object.Object, error) {
	listed, err := newReader(client, source).list(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	all := make([]*object.Object, 0, len(listed.Items))
	for _, each := range listed.Items {
		if o, ok := each.(*object.Object); ok {
			all = append(all, o)
		}
	}
	return all, nil
}
