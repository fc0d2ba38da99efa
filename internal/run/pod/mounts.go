// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/crd/manifest"
)

// Mounts makes the volumes of the controller's pod on this machine, as directories below Dir: empty ones, and those of ConfigMaps and
// Secrets among Objects. A Secret that no manifest has is one that cert-manager would make: Certs stands for it.
type Mounts struct {
	Dir, Certs string
	Objects    []manifest.Object
	// Adapt changes a file of a ConfigMap.
	Adapt func(content string) string
}

// path returns the directory, or the file, that stands for a mount; "" where there is none.
func (m Mounts) path(mount corev1.VolumeMount, volumes []corev1.Volume) string {
	i := slices.IndexFunc(volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
	if i < 0 {
		return ""
	}
	dir, err := m.volume(volumes[i])
	if err != nil || dir == "" {
		return ""
	}
	local := filepath.Join(dir, filepath.FromSlash(mount.SubPath))
	if rel, err := filepath.Rel(dir, local); err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return local
}

func (m Mounts) volume(v corev1.Volume) (dir string, err error) {
	dir = filepath.Join(m.Dir, filepath.Base(v.Name))
	switch {
	case v.EmptyDir != nil:
		return dir, os.MkdirAll(dir, 0o700)
	case v.ConfigMap != nil:
		o := m.find("ConfigMap", v.ConfigMap.Name)
		if o == nil {
			return "", nil
		}
		data, err := contents(*o)
		if err != nil {
			return "", err
		}
		for name, content := range data {
			data[name] = m.Adapt(content)
		}
		return dir, writeAll(dir, data)
	case v.Secret != nil:
		o := m.find("Secret", v.Secret.SecretName)
		if o == nil {
			return m.Certs, nil
		}
		data, err := contents(*o)
		if err != nil {
			return "", err
		}
		if len(data) == 0 { // a controller would fill it with certificates
			return m.Certs, nil
		}
		return dir, writeAll(dir, data)
	}
	return "", nil
}

func (m Mounts) find(kind, name string) *manifest.Object {
	i := slices.IndexFunc(m.Objects, func(o manifest.Object) bool { return o.GetKind() == kind && o.GetName() == name })
	if i < 0 {
		return nil
	}
	return &m.Objects[i]
}

// data are the values of a ConfigMap or of a Secret of the manifests, by their keys; nil where no manifest has it.
func (m Mounts) data(kind, name string) map[string]string {
	o := m.find(kind, name)
	if o == nil {
		return nil
	}
	data, err := contents(*o)
	if err != nil {
		return nil // the API server refuses it, and says why
	}
	if kind == "ConfigMap" {
		for key, value := range data {
			data[key] = substituted(value)
		}
	}
	return data
}

// lacksFile reports whether a path is that of a file of a Secret that no manifest has, and no certificate: only certificates stand for such a Secret.
func (m Mounts) lacksFile(path string) bool {
	return filepath.Dir(path) == m.Certs && !slices.Contains([]string{".crt", ".key", ".pem"}, filepath.Ext(path))
}

// contents are the values of a ConfigMap or of a Secret, by their keys.
func contents(o manifest.Object) (map[string]string, error) {
	data, _, err := unstructured.NestedStringMap(o.Object, "data")
	if err != nil || o.GetKind() != "Secret" {
		return data, err
	}
	all := map[string]string{}
	for key, value := range data {
		decoded, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil, err
		}
		all[key] = string(decoded)
	}
	plain, _, err := unstructured.NestedStringMap(o.Object, "stringData")
	maps.Copy(all, plain)
	return all, err
}

func writeAll(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, content := range files {
		if !filepath.IsLocal(name) || filepath.Base(name) != name {
			continue // the API server would refuse it
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}
