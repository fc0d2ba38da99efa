// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/workspace"
)

var (
	// noPackage are the go command's words about a package that a generator asked for, and noInterface those of deepcopy-gen
	// about a type that is none, or does not exist.
	noPackage   = lazyregexp.New(`no required module provides package ([^\s;]+)|package (\S+) is not in std`)
	noInterface = lazyregexp.New(`type "(\S+)" in k8s:deepcopy-gen:\S* ?interfaces tag .*, but: "(\w*)"`)

	// namingTag is a tag whose value names packages, or types in them.
	namingTag = lazyregexp.New(`^\s*//\s*(\+(?:k8s:[a-zA-Z:-]+|genclient:method))=(\S+)`)
)

// misnamed finds the tags that name a package or an interface which does not exist: the generators name neither the tag nor its
// file.
func misnamed(c Context, said string) error {
	var lines []string
	for _, m := range noPackage.FindAllStringSubmatch(said, -1) {
		for _, tag := range TagsNaming(c.Root, c.Sources, m[1]+m[2]) {
			lines = append(lines, fmt.Sprintf("%s: the package %s does not exist", tag, m[1]+m[2]))
		}
	}
	for _, m := range noInterface.FindAllStringSubmatch(said, -1) {
		why := "is not an interface"
		if m[2] == "" {
			why = "does not exist"
		}
		for _, tag := range TagsNaming(c.Root, c.Sources, m[1]) {
			lines = append(lines, fmt.Sprintf("%s: %s %s", tag, m[1], why))
		}
	}
	return diag.WithHint("invalid markers in the API packages", c.Root, "correct the marker, or add the package or type that it names; \"go get\" adds a package of another module", lines...)
}

// undefinedType is what the type checker says of a type that an imported package does not have.
var undefinedType = lazyregexp.New(`^undefined: (\w+)(\.\w+)$`)

// MisnamedTypes finds the tags that name types which generated code then lacks, as those of input and result of a
// +genclient:method.
func MisnamedTypes(root string, sources Sources, errs []load.TypeError) error {
	var lines []string
	missing := map[string]bool{} // a name may be missing in hundreds of places, and all sources are read
	for _, e := range errs {
		if e.Lacks != "" {
			missing[e.Lacks] = true
		} else if undefinedType.MatchString(e.Msg) {
			missing[e.Msg] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	match := func(value string) bool {
		if missing[value] {
			return true
		}
		for msg := range missing {
			// The package has a name made of the end of its path.
			if m := undefinedType.FindStringSubmatch(msg); m != nil {
				if pkg, ok := strings.CutSuffix(value, m[2]); ok && strings.HasSuffix(m[1], path.Base(pkg)) {
					return true
				}
			}
		}
		return false
	}
	for _, tag := range tagsWith(root, sources, "+genclient:method", match) {
		lines = append(lines, fmt.Sprintf("%s: %s does not exist", tag, tag.value))
	}
	return diag.WithHint("invalid markers in the API packages", root, "correct the marker, or declare the type", lines...)
}

// MisnamedPackages finds the tags that name packages of the project's own module for which there is no directory. A package of
// another module may be there once go.mod requires it.
func MisnamedPackages(root string, sources Sources, modules workspace.ImportPaths, all []load.Unchecked) error {
	dir := workspace.Above(root, "go.mod")
	module, err := modules.Of(dir)
	if dir == "" || err != nil {
		return nil //nolint:nilerr // then no module is the project's own
	}
	var lines []string
	for _, u := range all {
		rest, ok := strings.CutPrefix(u.Import, module+"/")
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(rest))); !ok || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for _, tag := range TagsNaming(root, sources, u.Import) {
			lines = append(lines, fmt.Sprintf("%s: the package %s does not exist", tag, u.Import))
		}
	}
	return diag.WithHint("invalid markers in the API packages", root, "correct the marker, or create the package", lines...)
}

// Tag is a tag with the value that names a package or a type.
type Tag struct {
	file, name, value string
	line, column      int
}

// String is the place and the name of the tag.
func (n Tag) String() string { return fmt.Sprintf("%s:%d:%d: %s", n.file, n.line, n.column, n.name) }

// TagsNaming are the tags with a package or a type in their values. A package is named by its types, too.
func TagsNaming(root string, sources Sources, name string) []Tag {
	return tagsWith(root, sources, name, func(value string) bool {
		rest, ok := strings.CutPrefix(value, name)
		return ok && (rest == "" || rest[0] == '.' && !strings.ContainsRune(rest, '/'))
	})
}

// tagsWith are the tags with a value that matches, in the lines that have a text.
func tagsWith(root string, sources Sources, text string, match func(value string) bool) (found []Tag) {
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		src, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(file)), safefs.MaxFile)
		if err != nil || !bytes.Contains(src, []byte(text)) {
			continue
		}
		n := 0
		for line := range bytes.Lines(src) {
			n++
			m := namingTag.FindSubmatch(line)
			if m == nil || !bytes.Contains(line, []byte(text)) {
				continue
			}
			for value := range strings.SplitSeq(string(m[2]), ",") {
				value = value[strings.LastIndexByte(value, '=')+1:] // input=TYPE
				if match(value) {
					found = append(found, Tag{file, string(m[1]), value, n, bytes.IndexByte(line, '+') + 1})
					break
				}
			}
		}
	}
	return found
}
