// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/render"
	"github.com/crdctl/crdctl/internal/safefs"
)

// pack takes along the files that hooks and templates consist of, as far as it can know them, and says what it takes to be in
// the image.
func (o *Options) pack(note func(string, ...any)) (*cargo, error) {
	c, hooks := &cargo{}, newPackedDir("hook")
	for _, h := range []struct{ flag, field, text string }{
		{"hook", "hook", o.Loop.Hook}, {"finalize-hook", "finalizeHook", o.Loop.FinalizeHook}, {"customize-hook", "customizeHook", o.Loop.CustomizeHook},
	} {
		if h.text == "" {
			continue
		}
		packed, err := o.packHook(hooks, h.text, note)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.field, err)
		}
		c.flags = append(c.flags, "--"+h.flag+"="+packed)
	}
	if o.Loop.CustomizeHook != "" {
		c.customizes = "the customize hook"
	}
	if err := c.add(hooks); err != nil {
		return nil, err
	}
	if o.Loop.Template == "" {
		return c, nil
	}
	templates, customizes, err := o.packTemplates()
	if err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	c.customizes = customizes
	c.flags = append(c.flags, "--template="+path.Join(mountPoint, templates.Name))
	return c, c.add(templates)
}

// packHook returns the hook as the pods have to call it.
func (o *Options) packHook(into *packedDir, text string, note func(string, ...any)) (string, error) {
	command, err := config.ParseCommand(text)
	if err != nil || command.URL != "" {
		return text, err
	}
	for i, word := range command.Words {
		isProgram := i == 0
		if filepath.IsAbs(word) || isProgram && !strings.Contains(word, "/") {
			if isProgram {
				note("%s is expected in the image", word)
			}
			continue
		}
		content, err := o.text(word)
		switch {
		case err == nil:
			command.Words[i] = into.put(path.Clean(word), content)
			if program := interpreter(content); isProgram && program != "" {
				note("%s is expected in the image", program)
			}
			note("%s goes into the ConfigMap; files that it imports or reads do not", path.Clean(word))
		case errors.Is(err, errOutside):
			return "", fmt.Errorf("%w, or name what is in the image by its absolute path", err)
		case errors.Is(err, safefs.ErrTooBig):
			return "", err
		case errors.Is(err, errBinary):
			note("%s is not text and is expected in the image's working directory; its absolute path there is safer", word)
		case errors.Is(err, fs.ErrNotExist) && (isProgram || namesFile(command.Words, i)):
			return "", fmt.Errorf("%s is not in %s; correct the path, or name what is in the image by its absolute path", word, o.Root)
		case isProgram:
			return "", err
		}
	}
	return command.String(), nil
}

// interpreter returns the program that the first line of a script names, or "".
func interpreter(script string) string {
	line, _, _ := strings.Cut(script, "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return ""
	}
	if path.Base(words[0]) == "env" {
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				return word
			}
		}
	}
	return words[0]
}

// namesFile reports whether an argument can only be meant as a file. That is a guess: apps/v1 may be one of the program's own words,
// but what follows an interpreter and its flags is not.
func namesFile(words []string, i int) bool {
	word, before := words[i], words[i-1]
	switch {
	case strings.HasPrefix(word, "-") || strings.Contains(word, "://") || strings.ContainsAny(word, " \t\n"):
		return false
	case before == "-c" || before == "-e": // a program as text
		return false
	case hook.IsScript(word) || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../"):
		return true
	}
	isFlag := func(w string) bool { return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") }
	return strings.Contains(word, "/") && !slices.ContainsFunc(words[1:i], func(w string) bool { return !isFlag(w) })
}

var errBinary = errors.New("is not text")

var errOutside = errors.New("is outside the project's directory")

// text is a file of the project, if it can be in a ConfigMap. What is outside of the project's directory is refused, also where a link leads
// there: users who may read ConfigMaps should not read files that the author did not mean to publish.
func (o *Options) text(name string) (string, error) {
	root, err := os.OpenRoot(o.Root)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return "", o.outside(name, err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", name)
	}
	f, err := safefs.OpenIn(root, name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxConfigMap+1))
	tooBig := len(data) > maxConfigMap
	switch {
	case err != nil:
		return "", err
	case slices.Contains(data, 0) || !tooBig && !utf8.Valid(data): // what is cut off may end within a character
		return "", errBinary
	case tooBig:
		return "", fmt.Errorf("%s %w: a ConfigMap holds at most %d KiB; put it into the image and name its absolute path there", filepath.ToSlash(name), safefs.ErrTooBig, maxConfigMap>>10)
	}
	return string(data), nil
}

// outside replaces the error for a path that cannot be reached from the project's directory: it is errOutside if there is something.
func (o *Options) outside(name string, err error) error {
	if err == nil {
		return nil
	}
	switch _, there := os.Stat(filepath.Join(o.Root, name)); {
	case there == nil:
		return fmt.Errorf("%s: %w %s; copy it into the project", filepath.ToSlash(name), errOutside, o.Root)
	case errors.Is(there, fs.ErrNotExist):
		return there
	}
	return err
}

// packTemplates takes the files that the loop takes for templates: those that lie directly in the directory. customizes is the one
// that asks for related objects, if there is one.
func (o *Options) packTemplates() (f *packedDir, customizes string, err error) {
	f = newPackedDir("template")
	root, err := os.OpenRoot(o.Root)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = root.Close() }()
	name := filepath.ToSlash(filepath.Clean(filepath.FromSlash(o.Loop.Template)))
	entries, err := fs.ReadDir(root.FS(), name)
	if err = o.outside(filepath.FromSlash(name), err); errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%s is not in %s; name the directory of the templates", name, o.Root)
	} else if err != nil {
		return nil, "", err
	}
	texts := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || !render.Wanted(e.Name()) {
			continue
		}
		content, err := o.text(path.Join(name, e.Name()))
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w; remove or fix it", e.Name(), err)
		}
		texts[e.Name()] = content
		if where := f.put(e.Name(), content); path.Base(where) != e.Name() {
			return nil, "", fmt.Errorf("%s: a name in a ConfigMap may have only letters, digits, hyphens, dots and underscores; rename the file", e.Name())
		}
	}
	if len(f.Files) == 0 {
		return nil, "", fmt.Errorf("%s has no *.yaml, *.yml or *.tmpl; name the directory of the templates", o.Loop.Template)
	}
	// The pods could only crash with what does not parse.
	templates, err := render.Parse(texts)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", o.Loop.Template, err)
	}
	return f, templates.Customize(), nil
}
