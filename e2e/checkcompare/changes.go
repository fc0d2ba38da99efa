// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// change is a commit that changed a CRD.
type change struct {
	repo, commit, file string
	takes              bool // away: it does not only add fields
	was, is            []byte
	old, now           *apiextv1.CustomResourceDefinition
	samples            [][]byte // manifests of the kind at the older commit

	crdctl, crdify, checker verdict
	objects                 []witness
	server                  []string
}

// draw takes changes of CRDs from the repositories: in turn one of each, in an order that the seed decides.
func draw(ctx context.Context, repos string, n int, seed uint64) ([]*change, error) {
	dirs, err := filepath.Glob(filepath.Join(repos, "*"))
	if err != nil || len(dirs) == 0 {
		return nil, cmp.Or(err, errors.New("no clone found; name their directory with -repos"))
	}
	var left []*history
	for _, dir := range dirs {
		h, err := historyOf(ctx, dir, seed)
		if err != nil {
			return nil, err
		}
		left = append(left, h)
	}
	var all []*change
	for len(all) < n && len(left) > 0 {
		for _, h := range slices.Clone(left) {
			c, err := h.next(ctx)
			switch {
			case err != nil:
				return nil, err
			case c == nil:
				left = slices.DeleteFunc(left, func(other *history) bool { return other == h })
			case len(all) < n:
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *change) int { return strings.Compare(a.repo, b.repo) })
	return all, nil
}

// history is what is left to draw of a repository.
type history struct {
	dir, repo string
	left      [][2]string // commit and file
	commits   map[string]bool
	drawn     int
}

// directories are where projects keep the CRDs that they generate.
var directories = []string{
	":(glob)**/config/crd/**/*.yaml", ":(glob)**/config/crds/**/*.yaml", ":(glob)config/components/crd/bases/*.yaml", ":(glob)**/apis/crds/*.yaml", ":(glob)deploy/crds/*.yaml",
	":(glob)example/prometheus-operator-crd/*.yaml",
}

func historyOf(ctx context.Context, dir string, seed uint64) (*history, error) {
	h := &history{dir: dir, repo: filepath.Base(dir), commits: map[string]bool{}}
	log, err := h.git(ctx, append([]string{"log", "--no-merges", "--diff-filter=M", "--format=%x00%H", "--name-only", "HEAD", "--"}, directories...)...)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(log), "\x00") {
		lines := strings.Fields(entry)
		for _, file := range lines[min(1, len(lines)):] {
			if !strings.Contains(file, "patch") && path.Base(file) != "kustomization.yaml" {
				h.left = append(h.left, [2]string{lines[0], file})
			}
		}
	}
	r := rand.New(rand.NewPCG(seed, 0)) // it must draw the same each time
	r.Shuffle(len(h.left), func(i, j int) { h.left[i], h.left[j] = h.left[j], h.left[i] })
	return h, nil
}

func (h *history) git(ctx context.Context, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", h.dir}, args...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: git %s: %w", h.dir, args[0], err)
	}
	return out, nil
}

// next is a change that means something to the API server: more than descriptions and annotations. Of a commit, it is one. Most changes only add
// fields, so of two draws, one is of those that do more.
func (h *history) next(ctx context.Context) (*change, error) {
	for i := 0; i < len(h.left); i++ {
		commit, file := h.left[i][0], h.left[i][1]
		if h.commits[commit] {
			continue
		}
		c := &change{repo: h.repo, commit: commit, file: file}
		var err error
		if c.was, err = h.git(ctx, "show", commit+"^:"+file); err != nil {
			h.left = slices.Delete(h.left, i, i+1) // the clone begins here
			i--
			continue
		}
		if c.is, err = h.git(ctx, "show", commit+":"+file); err != nil {
			return nil, err
		}
		c.old, c.now = read(c.was), read(c.is)
		if c.old == nil || c.now == nil || c.old.Name != c.now.Name || reflect.DeepEqual(bare(c.old), bare(c.now)) {
			h.left = slices.Delete(h.left, i, i+1)
			i--
			continue
		}
		if c.takes = !onlyAdds(bare(c.old), bare(c.now), false); !c.takes && h.drawn%2 == 0 {
			continue
		}
		h.drawn++
		h.commits[commit] = true
		return c, h.addSamples(ctx, c)
	}
	return nil, nil
}

// addSamples finds manifests of the kind in the older commit: what users write.
func (h *history) addSamples(ctx context.Context, c *change) error {
	found, err := h.git(ctx, "grep", "-l", "-e", "^kind: "+c.old.Spec.Names.Kind+"$", c.commit+"^", "--", "*.yaml")
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() == 1 {
		return nil // none
	}
	if err != nil {
		return err
	}
	for _, at := range strings.Fields(string(found))[:min(20, len(strings.Fields(string(found))))] {
		data, err := h.git(ctx, "show", at)
		if err != nil {
			return err
		}
		for _, doc := range strings.Split(string(data), "\n---") {
			if strings.Contains(doc, "kind: "+c.old.Spec.Names.Kind+"\n") {
				c.samples = append(c.samples, []byte(doc))
			}
		}
	}
	return nil
}

// read is the CRD of a file that has one; nil if it has none, or one that is not of today's version.
func read(data []byte) *apiextv1.CustomResourceDefinition {
	crd := &apiextv1.CustomResourceDefinition{}
	if bytes.Count(data, []byte("\nkind: CustomResourceDefinition")) > 1 {
		return nil // the others read the first one
	}
	if err := yaml.Unmarshal(data, crd); err != nil || crd.APIVersion != "apiextensions.k8s.io/v1" || len(crd.Spec.Versions) == 0 {
		return nil
	}
	return crd
}

// bare is the spec of a CRD without what means nothing to the API server.
func bare(crd *apiextv1.CustomResourceDefinition) any {
	data, err := yaml.Marshal(crd.Spec)
	if err != nil {
		return err
	}
	var spec any
	if err := yaml.Unmarshal(data, &spec); err != nil {
		return err
	}
	strip(spec, false)
	return spec
}

// onlyAdds reports whether all that a change does is to add fields and versions.
func onlyAdds(was, is any, properties bool) bool {
	switch w := was.(type) {
	case map[string]any:
		i, ok := is.(map[string]any)
		if !ok || !properties && len(i) != len(w) {
			return false
		}
		for key, value := range w {
			if after, ok := i[key]; !ok || !onlyAdds(value, after, key == "properties" && !properties) {
				return false
			}
		}
		return true
	case []any:
		i, ok := is.([]any)
		if !ok || len(i) < len(w) {
			return false
		}
		for n, value := range w {
			if !onlyAdds(value, i[n], false) {
				return false
			}
		}
		_, scalar := append(w, nil)[0].(string) // a value of an enum, or what is required
		return len(i) == len(w) || !scalar
	}
	return reflect.DeepEqual(was, is)
}

// strip removes descriptions. Among properties, it is the name of a field.
func strip(node any, properties bool) {
	switch n := node.(type) {
	case map[string]any:
		if _, text := n["description"].(string); text && !properties {
			delete(n, "description")
		}
		for key, value := range n {
			strip(value, key == "properties" && !properties)
		}
	case []any:
		for _, value := range n {
			strip(value, false)
		}
	}
}
