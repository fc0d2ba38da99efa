package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Find returns the root of the project that dir is in: the nearest folder, from dir upwards, that holds a project
// file. The error of a folder that is in no project wraps fs.ErrNotExist.
func Find(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(abs); err != nil {
		// Not wrapped: this is not a folder outside of projects, it is none at all.
		return "", fmt.Errorf("%v; give the project's folder with --dir", err) //nolint:errorlint // see above
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder; give the project's folder with --dir", dir)
	}
	for at := abs; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, FileName)); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no %s in %s or above it: %w; make a project with \"crdctl init\", or give the folder of one with --dir", FileName, abs, fs.ErrNotExist)
		}
	}
}

// Load reads, defaults and validates the project file in root. All that is wrong with it is in the one error. Edits
// change what the file says before that.
func Load(root string, edits ...func(*Project)) (*Project, error) {
	data, err := os.ReadFile(filepath.Join(root, FileName))
	if err != nil {
		return nil, err
	}
	return Parse(FileName, data, edits...)
}

// Parse is Load for the content of a file; name is what errors call it.
func Parse(name string, data []byte, edits ...func(*Project)) (*Project, error) {
	var p Project
	// The version comes first: a file of another version is not full of unknown fields, it is of another version.
	var head struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
	}
	if err := yaml.Unmarshal(data, &head); err != nil {
		return nil, yamlError(name, data, err)
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
		return nil, fmt.Errorf("%s: more than one YAML document; a project has one", name)
	}
	for _, edit := range edits {
		edit(&p)
	}
	if err := p.Settle(name); err != nil {
		return nil, err
	}
	return &p, nil
}

var (
	yamlLine     = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?line (\d+): (.*)$`)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type \S+$`)
)

// yamlError puts the decoder's findings into the form file:line:col: message, one a line.
func yamlError(name string, data []byte, err error) error {
	lines := []string{err.Error()}
	var typeErr *yaml.TypeError
	if errors.As(err, &typeErr) {
		lines = typeErr.Errors
	}
	var all []error
	for _, l := range lines {
		m := yamlLine.FindStringSubmatch(l)
		if m == nil {
			all = append(all, fmt.Errorf("%s: %s", name, strings.TrimPrefix(l, "yaml: ")))
			continue
		}
		msg := m[2]
		if f := unknownField.FindStringSubmatch(msg); f != nil {
			msg = fmt.Sprintf("unknown field %q; see docs/settings.md of crdctl for the fields there are", f[1])
		}
		all = append(all, fmt.Errorf("%s:%s:%d: %s", name, m[1], column(data, m[1]), msg))
	}
	return errors.Join(all...)
}

// column is the place of the first thing on a line: the decoder tells lines only.
func column(data []byte, line string) int {
	var n int
	if _, err := fmt.Sscan(line, &n); err != nil {
		return 1
	}
	lines := bytes.Split(data, []byte("\n"))
	if n < 1 || n > len(lines) {
		return 1
	}
	text := lines[n-1]
	return len(text) - len(bytes.TrimLeft(text, " -\t")) + 1
}
