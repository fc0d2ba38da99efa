// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/crdimport"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/scaffold/change"
	"github.com/crdctl/crdctl/internal/ui"
)

// notWithCRD are the flags that say what a CRD says itself.
var notWithCRD = []string{"field", "plural", "singular", "short-names", "categories", "scope", "no-status", "storage"}

// fromCRDFlag registers --from-crd.
func fromCRDFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "from-crd", "", "`file` of CRDs to create types from, or -; filter with --group, --version, --kind")
}

// imported adds the kinds of a file's CRDs to a project, and says on Err what Go types cannot say.
func imported(c *cobra.Command, s ui.Streams, file string, root string, p *scaffold.Project, o scaffold.APIOptions) (files map[string][]byte, added []*scaffold.API, err error) {
	for _, flag := range notWithCRD {
		if c.Flags().Changed(flag) {
			return nil, nil, ui.UsageErrorf("--%s cannot be used with --from-crd: the CRD defines it; omit --%s", flag, flag)
		}
	}
	definitions, err := readCRDs(s.In, file, func(group, version string) []string { return change.Declared(root, p.PackageDir(group, version)) })
	if err != nil {
		return nil, nil, err
	}
	files = map[string][]byte{}
	var problems []error
	for _, d := range definitions {
		if o.Kind != "" && o.Kind != d.Kind || o.Group != "" && o.Group != d.Group {
			continue
		}
		apis, types, err := p.AddCRD(d, o)
		problems = append(problems, err)
		added = append(added, apis...)
		maps.Copy(files, types)
		s.Report().Lines(d.Notes)
		for _, v := range d.Versions {
			if !slices.ContainsFunc(apis, func(a *scaffold.API) bool { return a.Version == v.Name }) {
				continue
			}
			for _, loss := range v.Losses {
				s.Report().Printf("%s %s: lost: %s", v.Name, d.Kind, loss)
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, nil, ui.UsageError(err)
	}
	if len(added) == 0 {
		return nil, nil, ui.UsageErrorf("%s has no CRD of this --group and --kind", file)
	}
	return files, added, nil
}

func readCRDs(in io.Reader, file string, declared func(group, version string) []string) ([]*crdimport.Definition, error) {
	name := "standard input"
	if file != "-" {
		f, err := os.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--from-crd %s: %w; name a file with CRDs, or - for standard input", file, fs.ErrNotExist)
		} else if err != nil {
			return nil, fmt.Errorf("read the CRDs: %w", err)
		}
		if info, err := f.Stat(); err == nil && info.IsDir() {
			_ = f.Close()
			return nil, fmt.Errorf("--from-crd %s: is a directory; name a file with CRDs, or - for standard input", file)
		}
		defer func() { _ = f.Close() }()
		name, in = file, f
	}
	content, err := io.ReadAll(io.LimitReader(in, crdimport.MaxFile+1)) // it may be a device without an end
	if err != nil {
		return nil, fmt.Errorf("read the CRDs: %w", err)
	}
	return crdimport.Read(name, content, declared)
}
