// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Converted reports whether versions of the CRD are converted, although its manifest does not have it: kustomize patches a webhook into it, the
// Go types have the functions of controller-runtime's conversion webhook, or other Go code answers reviews of conversions.
func (c *CRD) Converted() bool {
	if c.project == nil {
		return false
	}
	for _, file := range c.Others() {
		data, err := safefs.ReadFile(filepath.Join(c.project.Root, filepath.FromSlash(file)), safefs.MaxFile)
		if err == nil && bytes.Contains(data, []byte("strategy: Webhook")) {
			return true
		}
	}
	for _, v := range c.Spec.Versions {
		if types := c.typesOf(v.Name); types != nil && (types.HasMethod(c.Spec.Names.Kind, "ConvertTo") || types.HasMethod(c.Spec.Names.Kind, "Hub")) {
			return true
		}
	}
	return slices.ContainsFunc(c.project.webhooks(), func(src []byte) bool {
		return bytes.Contains(src, reviews) || bytes.Contains(src, withConverter) && bytes.Contains(src, []byte(c.Spec.Names.Kind+"{"))
	})
}

// What Go code has that converts: reviews that a webhook of its own answers, or a converter that controller-runtime's builder is given for a kind.
var reviews, withConverter = []byte("ConversionReview"), []byte(".WithConverter(")

// findWebhooks reads the Go files of the project that convert objects, or have Knative's webhook. What a webhook of its own is asked to convert, only the cluster knows.
func (p *Project) findWebhooks() (found [][]byte) {
	_ = filepath.WalkDir(p.Root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return fs.SkipDir // what cannot be read shows no conversion
		case d.IsDir() && path != p.Root && (workspace.Foreign(name) || name == "testdata" || name == "test"):
			return fs.SkipDir
		case !d.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated"):
			return nil
		}
		if src, err := safefs.ReadFile(path, safefs.MaxFile); err == nil && (bytes.Contains(src, reviews) || bytes.Contains(src, withConverter) || bytes.Contains(src, knative)) {
			found = append(found, src)
		}
		return nil
	})
	return found
}
