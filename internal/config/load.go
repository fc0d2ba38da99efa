// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// Find returns the root of the project that dir is in: the nearest directory, from dir upwards, that holds a project
// file. The error of a directory that is in no project wraps fs.ErrNotExist.
func Find(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(abs); err != nil {
		// Not wrapped: this is not a directory outside of projects, it is none at all.
		return "", fmt.Errorf("%v; set --dir to the project's directory", err) //nolint:errorlint // see above
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory; set --dir to the project's directory", dir)
	}
	for at := abs; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, FileName)); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", noProject(abs)
		}
	}
}

// noProject is the error of a directory that is in no project; it is fs.ErrNotExist.
type noProject string

func (dir noProject) Error() string {
	return fmt.Sprintf("no %s in %s or any parent directory; create a project with \"crdctl init\", or set --dir to a project's directory", FileName, string(dir))
}

func (noProject) Is(target error) bool { return target == fs.ErrNotExist }

// maxSize bounds a project file, which may have been found in a directory of another user.
const maxSize = 16 << 20

// Load reads, defaults and validates the project file in root. All that is wrong with it is in the one error. Edits
// change what the file says before that.
func Load(root string, edits ...func(*Project)) (*Project, error) {
	data, err := safefs.ReadFile(filepath.Join(root, FileName), maxSize)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("%s is a directory; move it away: crdctl reads its settings from a file of that name", filepath.Join(root, FileName))
	case err != nil:
		return nil, err
	}
	return Parse(FileName, data, edits...)
}

// Parse is Load for the content of a file; name is what errors call it.
func Parse(name string, data []byte, edits ...func(*Project)) (*Project, error) {
	p, err := decode(name, data)
	if err != nil {
		return nil, err
	}
	for _, edit := range edits {
		edit(p)
	}
	if err := p.Complete(name); err != nil {
		return nil, locate(err, name, data, len(edits) > 0)
	}
	return p, nil
}

// Written is Parse without the defaults: only what the file has is set.
func Written(name string, data []byte) (*Project, error) {
	if _, err := Parse(name, data); err != nil {
		return nil, err
	}
	p, err := decode(name, data)
	if err == nil {
		p.clean()
	}
	return p, err
}

// LoadWritten is Load without the defaults.
func LoadWritten(root string) (*Project, error) {
	data, err := safefs.ReadFile(filepath.Join(root, FileName), maxSize)
	if err != nil {
		return nil, err
	}
	return Written(FileName, data)
}

func decode(name string, data []byte) (*Project, error) {
	var p Project
	// The version comes first: a file of another version is not full of unknown fields, it is of another version.
	var head struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
	}
	if err := yaml.Unmarshal(data, &head); err != nil {
		return nil, yamlError(name, data, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: is empty; write apiVersion: %s and kind: %s, or delete the file and write it with \"crdctl adopt\"", name, APIVersion, Kind)
	}
	if head.APIVersion != APIVersion || head.Kind != Kind {
		return nil, fmt.Errorf("%s: apiVersion %q and kind %q are not known; this crdctl reads apiVersion: %s, kind: %s",
			name, head.APIVersion, head.Kind, APIVersion, Kind)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&p); err != nil {
		return nil, yamlError(name, data, err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one YAML document; keep one", name)
	}
	placeCalls(&p, name, data)
	return &p, nil
}

var unknownField = regexp.MustCompile(`^field (\S+) not found in type (\S+)$`)

// fieldHint names the field of a type that an unknown one was meant to be, or the page that has all.
func fieldHint(field, typ string) string {
	known := map[string][]string{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			add(t.Elem())
		case reflect.Struct:
			for f := range t.Fields() {
				name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
				known[t.String()] = append(known[t.String()], name)
				add(f.Type)
			}
		}
	}
	add(reflect.TypeFor[Project]())
	if near := text.DidYouMean(field, known[typ]); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "the fields are in " + SettingsPage
}

// yamlError puts the decoder's findings into the form file:line:col: message, one a line.
func yamlError(name string, data []byte, err error) error {
	typeErr, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		// Its line of a syntax error is that of what is around it; the other decoder has the error's own.
		if _, other := k8syaml.YAMLToJSON(data); other != nil {
			err = other
		}
	}
	var said []string
	for _, p := range yamldoc.Problems(data, err) {
		if f := unknownField.FindStringSubmatch(p.What); f != nil {
			p.What = fmt.Sprintf("unknown field %q; %s", f[1], fieldHint(f[1], f[2]))
		} else if typeErr == nil {
			p.What += "; " + p.Hint
		}
		p.Line = max(p.Line, 1)
		what := withoutGoTypes(p.What)
		if field := fieldOn(data, p.Line); what != p.What && field != "" {
			what = field + " " + what
		}
		line := fmt.Sprintf("%s:%d:%d: %s", name, p.Line, column(data, p.Line), what)
		if !slices.Contains(said, line) { // an alias repeats what is wrong with its anchor
			said = append(said, line)
		}
	}
	return errors.New(strings.Join(said, "\n"))
}

// column is the place of the first thing on a line: the decoder tells lines only.
func column(data []byte, line int) int {
	lines := bytes.Split(data, []byte("\n"))
	if line < 1 || line > len(lines) {
		return 1
	}
	text := lines[line-1]
	return len(text) - len(bytes.TrimLeft(text, " -\t")) + 1
}
