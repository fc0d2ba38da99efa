// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/plan"
	"github.com/crdctl/crdctl/internal/safefs"
)

// firstKey is the key of the settings and of all that people wrote: of what was read of them, and of what is on disk now.
func (g *generation) firstKey(o Options, env *load.Env, header codegen.Header, sources map[string][sha256.Size]byte) (cache.Key, error) {
	settings, err := json.Marshal(struct {
		*config.Project
		Only       []string
		Discovered bool
	}{g.settings, o.Only, o.Discovered})
	if err != nil {
		return cache.Key{}, err
	}
	h := cache.NewHash("sources")
	h.Add(program(), g.version.Version, string(settings), string(header.Boilerplate), fmt.Sprint(header.Boilerplate == nil))
	if env != nil {
		h.Add(env.Fingerprint(g.root)...)
	}
	for _, one := range g.plan.Code() {
		h.Add(one.Name, strings.ReplaceAll(strings.Join(one.Flags, "\x00"), g.root, ""), strings.Join(one.Inputs, "\x00"))
	}
	h.Add(g.plan.Inputs(plan.CRD)...)
	h.Add(g.plan.Inputs(plan.RBAC)...)
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		sum := sources[file]
		h.Add(file, string(sum[:]))
	}
	for _, file := range g.plan.Reads {
		h.Add(file, sumOf(filepath.Join(g.root, file)))
	}
	h.Add(expansions(g.root, g.plan.Areas)...)
	return h.Key(), nil
}

// edited reports whether the first key would be another one now. Its parts are read anew, all of them: what one generator read of
// them at the start, another may have read at the end.
func (c *cached) edited(ctx context.Context) bool {
	sources, err := sums(c.run.root, slices.Collect(maps.Keys(c.run.scan.Sources)))
	if err != nil {
		return true
	}
	header, err := headerOf(c.run.root, c.run.settings)
	if err != nil {
		return true
	}
	var env *load.Env
	if !c.run.idle() {
		if env, err = load.NewEnv(ctx, c.run.dir, codegen.BuildTag); err != nil {
			return true
		}
	}
	now, err := c.run.firstKey(c.o, env, header, sources)
	return err != nil || now != c.first
}

// sums are those of files below root, which are read side by side.
func sums(root string, files []string) (map[string][sha256.Size]byte, error) {
	all := make([][sha256.Size]byte, len(files))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		group.Go(func() error {
			data, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(file)), safefs.MaxFile)
			all[i] = sha256.Sum256(data)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	byFile := map[string][sha256.Size]byte{}
	for i, file := range files {
		byFile[file] = all[i]
	}
	return byFile, nil
}

// sumOf is the sum of a file's content; a file that cannot be read has none.
func sumOf(file string) string {
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(data)
	return string(sum[:])
}
