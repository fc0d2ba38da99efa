// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/controllergen/args"
	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
	"github.com/crdctl/crdctl/internal/safefs"
)

// addGenerators puts the generators of the call into its request, each with its roots.
func (r *runner) addGenerators(c *call, rooted map[string][]*pkg, at map[*pkg]int) error {
	own, err := c.absolute(r.scratch)
	if err != nil {
		return err
	}
	for i, word := range args.Words(own) {
		name := c.names[i]
		g := host.Generator{Name: name, Word: word, Dir: c.output(name)}
		for _, p := range rooted[name] {
			if n, ok := at[p]; ok {
				g.Roots = append(g.Roots, n)
			}
		}
		c.request.Generators = append(c.request.Generators, g)
	}
	return nil
}

// output is the absolute directory of a generator's files; empty for that of their package.
func (c *call) output(name string) string {
	dir := c.Output[name]
	if dir == "" {
		if name == "object" || name == "applyconfiguration" {
			return ""
		}
		dir = "config/" + name
	}
	return c.at(dir)
}

// at is the absolute path of one that is relative to the call's directory.
func (c *call) at(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.dir, filepath.FromSlash(path))
}

// absolute returns the call with nothing but its generators, which get absolute paths and headers that keep the word YEAR where the
// year is that of the day.
func (c *call) absolute(scratch string) (config.ControllerGenCall, error) {
	own := config.ControllerGenCall{
		Object: clone(c.Object), CRD: clone(c.CRD), RBAC: clone(c.RBAC), Webhook: clone(c.Webhook),
		ApplyConfiguration: clone(c.ApplyConfiguration), SchemaPatch: clone(c.SchemaPatch),
	}
	c.years = map[string]bool{}
	var err error
	for _, name := range c.names {
		h := own.Header(name)
		if h == nil {
			continue
		}
		h.HeaderFile = c.at(h.HeaderFile)
		if h.Year != config.CurrentYear {
			continue
		}
		h.Year = "YEAR"
		if c.years[name], err = hasYear(h.HeaderFile, " YEAR"); err != nil {
			return own, err
		}
	}
	if g := own.ApplyConfiguration; g != nil {
		// For this one the year is always that of the day.
		if g.HeaderFile, c.years["applyconfiguration"], err = c.hideYear(g.HeaderFile, scratch); err != nil {
			return own, err
		}
	}
	if g := own.SchemaPatch; g != nil {
		g.Manifests = c.at(g.Manifests)
	}
	return own, nil
}

// clone copies what p points to.
func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// hideYear is a header file without the word YEAR, for a generator that would put the year of the clock in its place.
func (c *call) hideYear(file, scratch string) (hidden string, has bool, err error) {
	if file == "" {
		return "", false, nil
	}
	data, err := safefs.ReadFile(c.at(file), safefs.MaxFile)
	if err != nil || !bytes.Contains(data, []byte("YEAR")) {
		return c.at(file), false, err
	}
	hidden = filepath.Join(scratch, fmt.Sprintf("header%d", c.number))
	return hidden, true, os.WriteFile(hidden, bytes.ReplaceAll(data, []byte("YEAR"), []byte(host.HiddenYear)), 0o600)
}

// hasYear reports whether a header has a year to put in.
func hasYear(file, year string) (bool, error) {
	if file == "" {
		return false, nil
	}
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	return bytes.Contains(data, []byte(year)), err
}
