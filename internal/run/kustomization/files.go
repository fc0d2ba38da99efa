// SPDX-License-Identifier: Apache-2.0

package kustomization

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/safefs"
)

// localFiles reads files of this machine, and remembers which. Every kustomization passes through it before kustomize acts on what is
// in it, so that it can refuse those for which kustomize would start git or ask a server.
type localFiles struct {
	filesys.FileSystem
	read    []string
	refused error
}

// ReadFile reads a file, and refuses a kustomization with parts on another machine.
func (f *localFiles) ReadFile(name string) ([]byte, error) {
	f.read = append(f.read, name) // one that cannot be read may change, too
	data, err := safefs.ReadFile(name, safefs.MaxFile)
	if err != nil {
		return nil, err
	}
	if IsFile(name) {
		if err := onlyLocal(name, data); err != nil {
			f.refused = err
			return nil, err
		}
	}
	return data, nil
}

// CleanedAbs is where a file is, which kustomize asks before it reads one. One that is missing may come, but for the other names that the
// kustomization of a directory may have.
func (f *localFiles) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	dir, file, err := f.FileSystem.CleanedAbs(name)
	if err != nil && filepath.IsAbs(name) && (!IsFile(name) || File(filepath.Dir(name)) == "") {
		f.read = append(f.read, name)
	}
	return dir, file, err
}

// remote is what kustomize may take for a URL or a repository: with a scheme, a host and a colon, or on GitHub. No file or directory of
// a project is named so.
var remote = regexp.MustCompile(`(?i):|^(www\.)?github\.com`)

// onlyLocal returns an error where a kustomization names something that is not a file of this machine.
func onlyLocal(name string, data []byte) error {
	var k types.Kustomization
	if err := yaml.Unmarshal(data, &k); err != nil {
		return nil // kustomize has the words for it, and reads nothing else
	}
	for _, one := range slices.Concat(k.Resources, k.Bases, k.Components, k.Crds, k.Configurations, pathsOf(&k)) { //nolint:staticcheck // projects use what is deprecated
		if remote.MatchString(one) {
			return errRemote(name, one)
		}
	}
	for _, one := range slices.Concat(k.Generators, k.Transformers, k.Validators, patchesOf(&k)) {
		if remote.MatchString(one) && !inline(one) {
			return errRemote(name, one)
		}
	}
	return nil
}

func errRemote(file, entry string) error {
	return fmt.Errorf("%s: refers to %s, which is not on this machine, and crdctl run downloads nothing; name other manifests with -f, or as controller.manifests in crdctl.yaml", file, entry)
}

// inline reports whether an entry is an object instead of the name of a file.
func inline(entry string) bool {
	var object struct {
		Kind string `json:"kind"`
	}
	return yaml.Unmarshal([]byte(entry), &object) == nil && object.Kind != ""
}

func patchesOf(k *types.Kustomization) (all []string) {
	for _, p := range k.PatchesStrategicMerge { //nolint:staticcheck // as above
		all = append(all, string(p))
	}
	return all
}

// pathsOf are the names of files in the fields of a kustomization that have other content, too.
func pathsOf(k *types.Kustomization) (all []string) {
	for _, p := range slices.Concat(k.Patches, k.PatchesJson6902) { //nolint:staticcheck // as above
		all = append(all, p.Path)
	}
	for _, r := range k.Replacements {
		all = append(all, r.Path)
	}
	for _, g := range k.ConfigMapGenerator {
		all = append(all, sourcesOf(g.KvPairSources)...)
	}
	for _, g := range k.SecretGenerator {
		all = append(all, sourcesOf(g.KvPairSources)...)
	}
	return append(all, k.OpenAPI["path"])
}

func sourcesOf(s types.KvPairSources) []string {
	return append(slices.Concat(s.FileSources, s.EnvSources), s.EnvSource)
}
