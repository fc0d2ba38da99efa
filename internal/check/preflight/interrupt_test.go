// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// An interrupt ends the check while the API server's code, which cannot be interrupted, is still at work.
func TestInterruptEndsTheCheck(t *testing.T) {
	began, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	before := checks
	checks = []check{quick(func(*project.CRD) ([]rule.Finding, error) {
		defer close(ended)
		close(began)
		<-release
		return nil, nil
	})}
	defer func() {
		close(release)
		<-ended
		checks = before
	}()
	ctx, interrupt := context.WithCancelCause(t.Context())
	defer interrupt(nil)
	why := errors.New("interrupted")
	go func() {
		<-began
		interrupt(why)
	}()
	crd := &project.CRD{CustomResourceDefinition: &apiextv1.CustomResourceDefinition{TypeMeta: metav1.TypeMeta{APIVersion: apiextv1.SchemeGroupVersion.String()}}}
	_, err := Check(ctx, []*project.CRD{crd})
	require.ErrorIs(t, err, why)
}
