// SPDX-License-Identifier: Apache-2.0

// Package chart renders a Helm chart in memory, with Helm's own engine and the defaults of its values.yaml.
//
// It downloads nothing, asks no cluster and installs nothing: dependencies are those in the chart's directory, "lookup" finds nothing, and
// hooks are left out. Which chart is a project's own it does not know.
package chart

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/ignore"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Built is what a chart renders.
type Built struct {
	// Objects have the templates as their places, CRDs in the directory crds the files.
	Objects []manifest.Object
	// Files are the files and directories that were read, as full paths: a change of one of them may change the objects.
	Files []string
	// Missing are the dependencies that the chart asks for and its directory does not have.
	Missing []string
}

// Server is what templates ask of the API server (Capabilities). The zero value has the API versions of client-go.
type Server struct {
	Version string
	APIs    []string // as Helm has them: GROUP/VERSION and GROUP/VERSION/KIND
}

const metadataFile = "Chart.yaml"

// File returns the file by which a directory is a chart; "" where it has none.
func File(dir string) string {
	file := filepath.Join(dir, metadataFile)
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file
}

// Build renders the chart in a directory below root, as "helm template" does with the chart's name for the release. Places are seen from root.
// With an error it returns the objects that could be read.
func Build(root, dir string, server Server) (*Built, error) {
	b := &Built{}
	files, err := b.read(filepath.Join(root, dir))
	if err != nil {
		return b, fmt.Errorf("read the chart in %s: %w", dir, err)
	}
	c, err := loader.LoadFiles(files)
	if _, invalid := errors.AsType[chart.ValidationError](err); invalid {
		return b, fmt.Errorf("%s: %w", filepath.Join(dir, metadataFile), err)
	} else if err != nil {
		return b, fmt.Errorf("read the chart in %s: %s", dir, oneLine(err))
	}
	top := common.Values{
		"Release":      map[string]any{"Name": c.Name(), "Namespace": "default", "IsInstall": true, "IsUpgrade": false, "Revision": 1, "Service": "Helm"},
		"Capabilities": server.capabilities(),
	}
	top["Values"], b.Missing = prepare(c, nil, nil)
	rendered, err := engine.Render(c, top)
	if err != nil {
		// Helm calls files as if the chart's directory had its name.
		message := strings.NewReplacer(c.Name()+"/templates/", filepath.ToSlash(dir)+"/templates/", c.Name()+"/charts/", filepath.ToSlash(dir)+"/charts/").Replace(oneLine(err))
		return b, fmt.Errorf("render the chart in %s: %s", dir, message)
	}
	plain := map[string]bool{} // as they are, without being rendered
	for _, crd := range c.CRDObjects() {
		rendered[crd.Filename], plain[crd.Filename] = string(crd.File.Data), true
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		if path.Base(name) == "NOTES.txt" {
			continue
		}
		_, inside, _ := strings.Cut(name, "/") // without the chart's name
		text := rendered[name]
		if !plain[name] {
			text = separated(text)
		}
		objects, err := manifest.Rendered(filepath.Join(dir, filepath.FromSlash(inside)), []byte(text))
		switch {
		case err == nil:
		case plain[name] && strings.Contains(rendered[name], "{{"):
			problems = append(problems, fmt.Errorf("%s; Helm does not render the files in crds, and this one is a template", oneLine(err)))
		case plain[name]:
			problems = append(problems, errors.New(oneLine(err)))
		default:
			problems = append(problems, fmt.Errorf("rendered %s", oneLine(err)))
		}
		for _, o := range objects {
			if _, hook := o.GetAnnotations()["helm.sh/hook"]; !hook {
				o.Line, o.Built = 1, true
				b.Objects = append(b.Objects, o)
			}
		}
	}
	return b, errors.Join(problems...)
}

// separator is what Helm takes for the end of a document, with the white space that it removes after it.
var separator = lazyregexp.New(`(?m)^---\s*`)

// separated is what a template made, with separators that YAML has, too: for Helm, text may follow one, and the first may be indented. Lines keep
// their numbers as long as no text follows a separator.
func separated(text string) string {
	lines := func(space string) string { return strings.Repeat("\n", strings.Count(space, "\n")) }
	start := strings.TrimLeftFunc(text, unicode.IsSpace)
	return lines(text[:len(text)-len(start)]) + separator.ReplaceAllStringFunc(start, func(found string) string {
		return "---" + cmp.Or(lines(found), "\n")
	})
}

// CRDs reads the CRDs of the chart in a directory that a user named.
func CRDs(dir string) ([]manifest.CRD, error) {
	built, err := Build("", dir, Server{})
	if err != nil {
		return nil, err
	}
	crds, err := manifest.CRDsAmong(built.Objects)
	if err == nil && len(crds) == 0 {
		err = fmt.Errorf("%s: the chart renders no CustomResourceDefinition", dir)
	}
	return crds, err
}

// capabilities are what templates see as .Capabilities.
func (s Server) capabilities() *common.Capabilities {
	all := common.DefaultCapabilities.Copy()
	if version, err := common.ParseKubeVersion(s.Version); err == nil {
		all.KubeVersion, all.APIVersions = *version, s.APIs
	}
	return all
}

// maxFiles is more than any chart has: a link to a parent directory makes a directory that does not end.
const maxFiles = 5000

// read reads all files of a chart that its .helmignore leaves. Links are followed, as Helm does.
func (b *Built) read(dir string) (files []*archive.BufferedFile, err error) {
	rules := ignore.Empty()
	if data, err := safefs.ReadFile(filepath.Join(dir, ignore.HelmIgnore), safefs.MaxFile); err == nil {
		if rules, err = ignore.Parse(bytes.NewReader(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", ignore.HelmIgnore, err)
		}
	}
	rules.AddDefaults()
	left := int64(safefs.MaxFile)
	var walk func(below string) error
	walk = func(below string) error {
		entries, err := os.ReadDir(filepath.Join(dir, below))
		b.Files = append(b.Files, filepath.Join(dir, below))
		if err != nil {
			return err
		}
		for _, e := range entries {
			name, file := path.Join(below, e.Name()), filepath.Join(dir, below, e.Name())
			info, err := os.Stat(file)
			if errors.Is(err, fs.ErrNotExist) { // the lock of an editor is a link to nothing
				continue
			} else if err != nil {
				return err
			}
			if rules.Ignore(name, info) {
				continue
			}
			if info.IsDir() {
				if err := walk(name); err != nil {
					return err
				}
				continue
			}
			if b.Files = append(b.Files, file); len(b.Files) > maxFiles {
				return fmt.Errorf("more than %d files", maxFiles)
			}
			data, err := safefs.ReadFile(file, left)
			if err != nil {
				return err
			}
			left -= int64(len(data))
			files = append(files, &archive.BufferedFile{Name: name, ModTime: info.ModTime(), Data: bytes.TrimPrefix(data, []byte("\ufeff"))})
		}
		return nil
	}
	return files, walk("")
}

// oneLine is an error of Helm's, which may have a stack of templates, as one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
