// SPDX-License-Identifier: Apache-2.0

package run

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

// mounts makes the volumes of the controller's pod on this machine, as directories below dir: empty ones, and those of ConfigMaps and
// Secrets among the objects. A Secret that no manifest has is one that cert-manager would make: certs stands for it.
type mounts struct {
	dir, certs string
	objects    []manifest.Object
	// adapt changes a file of a ConfigMap.
	adapt func(content string) string
}

// path returns the directory, or the file, that stands for a mount; "" where there is none.
func (m mounts) path(mount corev1.VolumeMount, volumes []corev1.Volume) string {
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

func (m mounts) volume(v corev1.Volume) (dir string, err error) {
	dir = filepath.Join(m.dir, filepath.Base(v.Name))
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
			data[name] = m.adapt(content)
		}
		return dir, writeAll(dir, data)
	case v.Secret != nil:
		o := m.find("Secret", v.Secret.SecretName)
		if o == nil {
			return m.certs, nil
		}
		data, err := contents(*o)
		if err != nil {
			return "", err
		}
		if len(data) == 0 { // a controller would fill it with certificates
			return m.certs, nil
		}
		return dir, writeAll(dir, data)
	}
	return "", nil
}

func (m mounts) find(kind, name string) *manifest.Object {
	i := slices.IndexFunc(m.objects, func(o manifest.Object) bool { return o.GetKind() == kind && o.GetName() == name })
	if i < 0 {
		return nil
	}
	return &m.objects[i]
}

// data are the values of a ConfigMap or of a Secret of the manifests, by their keys; nil where no manifest has it.
func (m mounts) data(kind, name string) map[string]string {
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
func (m mounts) lacksFile(path string) bool {
	return filepath.Dir(path) == m.certs && !slices.Contains([]string{".crt", ".key", ".pem"}, filepath.Ext(path))
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
