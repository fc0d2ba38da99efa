// SPDX-License-Identifier: Apache-2.0

// Package roundtrip is for tests alone: it fetches the CRDs of public projects, and makes CRDs of imported types again.
//
// It compares nothing, and no command uses it.
package roundtrip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Source is a public module with CRDs in it.
type Source struct {
	Name, Module, Version string
	// Patterns are those of the files that have the CRDs.
	Patterns []string
}

// Sources are those whose CRDs are imported. All are in the module proxy, and no more of them than it takes to see
// everything that CRDs are written with: by hand, by controller-gen of many versions, from protobuf.
var Sources = []Source{
	{"argo-rollouts", "github.com/argoproj/argo-rollouts", "v1.8.3", []string{"manifests/crds/*-crd.yaml"}},
	{"cert-manager", "github.com/cert-manager/cert-manager", "v1.21.2", []string{"deploy/crds/*.yaml"}},
	{"cluster-api", "sigs.k8s.io/cluster-api", "v1.14.2", []string{"core/config/crd/bases/*.yaml", "bootstrap/kubeadm/config/crd/bases/*.yaml", "controlplane/kubeadm/config/crd/bases/*.yaml", "cmd/clusterctl/config/crd/bases/*.yaml"}},
	{"external-dns", "sigs.k8s.io/external-dns", "v0.18.0", []string{"config/crd/standard/*.yaml"}},
	{"external-secrets", "github.com/external-secrets/external-secrets", "v1.3.2", []string{"config/crds/bases/*.yaml"}},
	{"external-snapshotter", "github.com/kubernetes-csi/external-snapshotter/client/v8", "v8.7.0", []string{"config/crd/*.yaml"}},
	{"gatekeeper", "github.com/open-policy-agent/gatekeeper/v3", "v3.23.1", []string{"config/crd/bases/[a-z]*.yaml"}},
	{"gateway-api", "sigs.k8s.io/gateway-api", "v1.4.0", []string{"config/crd/experimental/*.yaml"}},
	{"istio", "istio.io/api", "v1.31.1", []string{"kubernetes/customresourcedefinitions.gen.yaml"}},
	{"karpenter", "sigs.k8s.io/karpenter", "v1.6.0", []string{"pkg/apis/crds/*.yaml"}},
	{"keda", "github.com/kedacore/keda/v2", "v2.21.0", []string{"config/crd/bases/*.yaml"}},
	{"knative-serving", "knative.dev/serving", "v0.51.0", []string{"config/core/300-resources/*.yaml"}},
	{"metallb", "go.universe.tf/metallb", "v0.16.2", []string{"config/crd/bases/*.yaml"}},
	{"network-policy-api", "sigs.k8s.io/network-policy-api", "v0.1.7", []string{"config/crd/experimental/policy*.yaml"}},
	{"prometheus-operator", "github.com/prometheus-operator/prometheus-operator", "v0.85.0", []string{"example/prometheus-operator-crd/*.yaml"}},
	{"velero", "github.com/vmware-tanzu/velero", "v1.18.3", []string{"config/crd/v1/bases/*.yaml", "config/crd/v2alpha1/bases/*.yaml"}},
}

// File is a file of a source.
type File struct {
	Name    string
	Content []byte
}

// Files has the go command fetch the module into its cache, from a directory whose go.mod has no say in it, and reads the files.
func (s Source) Files(ctx context.Context, folder string) ([]File, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", s.Module+"@"+s.Version)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &module); err != nil || jsonErr != nil {
		return nil, fmt.Errorf("fetch %s@%s: %w; %s", s.Module, s.Version, errors.Join(err, jsonErr), module.Error)
	}
	var all []File
	for _, pattern := range s.Patterns {
		paths, err := filepath.Glob(filepath.Join(module.Dir, filepath.FromSlash(pattern)))
		if err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("%s@%s: no files like %s; look at what the version has", s.Module, s.Version, pattern)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			all = append(all, File{filepath.Base(path), content})
		}
	}
	return all, nil
}
