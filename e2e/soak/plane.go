// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// plane is crdctl's control plane, which is a real API server, as a process of its own with kept data: each start has the same port.
type plane struct {
	process
	*api.Server
	kubeconfig string
}

func newPlane(s *soak, crdctl string) *plane {
	p := &plane{process: s.newProcess("plane", "ready at")}
	p.kubeconfig = filepath.Join(state.Cluster(p.side.Dir), "kubeconfig")
	p.side.Argv = []string{crdctl, "cluster", "serve", "--dir", p.side.Dir}
	p.start()
	return p
}

// connect makes the client, and the CRD.
func (p *plane) connect(ctx context.Context) {
	p.Server = must(api.Connect(ctx, p.kubeconfig, p.Done()))(p.soak)
	require.NoError(p.soak, p.Install(ctx, p.Done(), crd, basketsPath))
}

// get reads objects.
func get[T any](ctx context.Context, p *plane, path, selector string) ([]T, error) {
	data, err := p.Client.Get().AbsPath(path).Param("labelSelector", selector).MaxRetries(0).DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	var l struct{ Items []T }
	err = json.Unmarshal(data, &l)
	return l.Items, err
}

// removeCRD deletes the CRD and waits until it and its objects are gone.
func (p *plane) removeCRD() {
	ctx := context.Background()
	require.NoError(p.soak, p.Client.Delete().AbsPath(crdPath).Do(ctx).Error())
	require.NoError(p.soak, program.Poll(ctx, nil, func(ctx context.Context) bool {
		return apierrors.IsNotFound(p.Client.Get().AbsPath(crdPath).Do(ctx).Error())
	}), "the CRD and its objects do not go")
}

// restoreCRD makes the CRD anew, with all objects: else there would be next to nothing to do until the end of the round.
func (p *plane) restoreCRD() {
	ctx := context.Background()
	require.NoError(p.soak, p.Install(ctx, nil, crd, basketsPath))
	require.NoError(p.soak, program.Poll(ctx, nil, func(ctx context.Context) bool {
		_, err := p.soak.fill(ctx)
		return err == nil
	}), "the objects do not come again")
}
