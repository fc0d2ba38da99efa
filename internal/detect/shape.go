// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
)

// shape is the range of minor versions of code-generator that can have written the tree, by what came with each.
type shape struct {
	min, max       int
	minWhy, maxWhy string // the files that show it
}

// newest has no upper bound.
const newest = 1 << 16

// marks are what a version began to write: files of a generator that are named so have the text from then on.
var marks = []struct {
	minor     int
	generator string
	file      func(f *repo.GoFile) bool
	text      string
}{
	{28, "informer-gen", hasText("InformerFor returns the SharedIndexInformer"), "// InformerFor returns"},
	{31, "lister-gen", hasText("cache.Indexer"), "ResourceIndexer"},
	{31, "client-gen", func(f *repo.GoFile) bool {
		return f.LineWith("Getter has a method to return") > 0 && f.LineWith("\tList(ctx ") > 0
	}, "gentype"},
	{32, "client-gen", inFakeTyped, "gentype"},
	{33, "informer-gen", hasText("NewFilteredSharedIndexInformer"), "ListWithContextFunc"},
	{35, "informer-gen", hasText("ListWithContextFunc"), "ToListWatcherWithWatchListSemantics"},
	{36, "informer-gen", func(f *repo.GoFile) bool { return path.Base(f.Path) == "factory.go" }, "InformerName"},
}

// beforeV26 is in clientsets of v0.25 and older. Newer ones lack it, but so do those from which something else removed it. sinceV23 is in those of
// v0.23 and newer.
const beforeV26, sinceV23 = "contains the clients for groups. Each group has exactly one", "NewForConfigAndClient"

func hasText(text string) func(f *repo.GoFile) bool {
	return func(f *repo.GoFile) bool { return f.LineWith(text) > 0 }
}

// inFakeTyped are the fakes of kinds.
func inFakeTyped(f *repo.GoFile) bool {
	return strings.Contains(f.Path, "/typed/") && strings.Contains(f.Path, "/fake/fake_") && !strings.HasSuffix(f.Path, "_client.go")
}

// readShape looks for the marks of all versions below a directory. Most files decide: single ones may be left over from an older version.
func (d *discovery) readShape(dir string) shape {
	s := shape{max: newest}
	for _, m := range marks {
		with, without := 0, 0
		var withPlace, withoutPlace string
		for _, f := range d.Files {
			if f.Generator != m.generator || !m.file(f) || !text.Below(dir, f.Dir) || d.Listed(f.Path) {
				continue
			}
			if line := f.LineWith(m.text); line > 0 {
				with++
				withPlace = cmp.Or(withPlace, repo.At(f.Path, line))
			} else {
				without++
				withoutPlace = cmp.Or(withoutPlace, f.Path)
			}
		}
		switch {
		case with > 0 && with >= without:
			s.min, s.minWhy = m.minor, withPlace
		case without > 0 && m.minor <= s.max:
			s.max, s.maxWhy = m.minor-1, withoutPlace
		}
	}
	for _, f := range d.Files {
		if line := f.LineWith(beforeV26); line > 0 && f.Generator == "client-gen" && text.Below(dir, f.Dir) && !d.Listed(f.Path) {
			s.max, s.maxWhy = min(s.max, 25), repo.At(f.Path, line)
			if f.LineWith(sinceV23) == 0 {
				s.max = min(s.max, 22)
			}
			break
		}
	}
	if s.max < s.min {
		s.max, s.maxWhy = newest, "" // files of two versions; the newer ones were made last
	}
	return s
}

// fits reports whether a version can have written the tree.
func (s shape) fits(version string) bool {
	minor, ok := minorOf(version)
	return ok && minor >= s.min && minor <= s.max
}

func (s shape) String() string {
	switch {
	case s.min > 0 && s.max == s.min:
		return fmt.Sprintf("v0.%d", s.min)
	case s.min > 0 && s.max < newest:
		return fmt.Sprintf("v0.%d to v0.%d", s.min, s.max)
	case s.min > 0:
		return fmt.Sprintf("v0.%d or newer", s.min)
	}
	return fmt.Sprintf("v0.%d or older", s.max)
}

func (s shape) why() string { return cmp.Or(s.minWhy, s.maxWhy) }

func minorOf(version string) (minor int, ok bool) {
	_, err := fmt.Sscanf(version, "v0.%d", &minor)
	return minor, err == nil
}
