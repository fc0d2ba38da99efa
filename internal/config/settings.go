// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Setting is one field of crdctl.yaml. All that is known of a setting is in its declaration: flags, defaults, validation, the
// arguments of the pods and the tables of docs/settings.md come from it.
type Setting struct {
	// Field is its path in crdctl.yaml, such as loop.timeout; clients[0] stands for every client tree.
	Field string
	// Flag is what generate, verify and adopt, or run and manifests, call it; "" if only the file has it. Short is one letter.
	Flag, Short string
	// Usage is what the help says of the flag, a noun phrase; the reference page says that and More.
	Usage, More string
	// Default is the default; Otherwise says in words what holds if there is none, or another one in some cases.
	Default   any
	Otherwise string
	// Commas has one flag give several values.
	Commas bool
	Format Format
	// Value points to the setting: a *string, *bool, *int, *int64, *time.Duration, **time.Duration, **bool, *[]string or a
	// *map[string]string, or to what only the file can say.
	Value func(*Project) any

	text   func(string) error // checks a string, or each of a list
	number func(int64) error  // checks a number; in the file, 0 is one that is left out
	needs  string             // what a flag must not leave empty
}

// Format says how a setting names files, if it does.
type Format int

// The formats of settings.
const (
	Plain   Format = iota
	Path           // of a file or directory, from the project's root
	Inner          // of a directory, from that of another setting
	Program        // a command whose words may be files, or a URL
)

// Settings are all settings that have a place of their own in crdctl.yaml.
func Settings() []Setting {
	return slices.Concat(projectSettings, docsSettings, controllerSettings, loopSettings, clientSettings)
}

// GenerateSettings are those that generate, verify and adopt have flags of.
func GenerateSettings() []Setting { return withFlags(slices.Concat(projectSettings, clientSettings)) }

// LoopSettings are those of the built-in loop.
func LoopSettings() []Setting { return withFlags(loopSettings) }

func withFlags(all []Setting) []Setting {
	return slices.DeleteFunc(slices.Clone(all), func(s Setting) bool { return s.Flag == "" })
}

// InClient reports whether it is a setting of a client tree.
func (s Setting) InClient() bool { return strings.HasPrefix(s.Field, "clients[0].") }

// Copy sets it to what it is in another project.
func (s Setting) Copy(to, from *Project) {
	reflect.ValueOf(s.Value(to)).Elem().Set(reflect.ValueOf(s.Value(from)).Elem())
	if list, ok := s.Value(to).(*[]string); ok {
		*list = slices.Clone(*list) // paths in it may be changed
	}
}

// DefaultText is the default for people; "" if there is none.
func (s Setting) DefaultText() string {
	switch v := s.Default.(type) {
	case nil:
		return s.Otherwise
	case []string:
		return strings.Join(v, ",")
	}
	return fmt.Sprint(s.Default)
}

// fill sets it to its default, if it is left out.
func (s Setting) fill(p *Project) {
	if at := reflect.ValueOf(s.Value(p)).Elem(); s.Default != nil && at.IsZero() {
		at.Set(reflect.ValueOf(s.Default))
	}
}

// numberOf returns a setting that is a number or a duration, and whether it is one and set.
func (s Setting) numberOf(p *Project) (int64, bool) {
	switch v := s.Value(p).(type) {
	case *int:
		return int64(*v), true
	case *int64:
		return *v, true
	case *time.Duration:
		return int64(*v), true
	case **time.Duration:
		if *v != nil {
			return int64(**v), true
		}
	}
	return 0, false
}

// CheckGiven returns what is wrong with the value of a flag that is none in the file, where it is the same as one left out.
func (s Setting) CheckGiven(p *Project) error {
	if n, ok := s.numberOf(p); ok && n == 0 && s.number != nil {
		return s.number(n)
	}
	if text := s.Strings(p); s.needs != "" && *text[0] == "" { // of a variable that is not set, for example
		return fmt.Errorf("is empty; name %s, or omit it", s.needs)
	}
	return nil
}

// Strings returns pointers to the strings that a setting has.
func (s Setting) Strings(p *Project) (all []*string) {
	switch v := s.Value(p).(type) {
	case *string:
		return []*string{v}
	case *[]string:
		for i := range *v {
			all = append(all, &(*v)[i])
		}
	}
	return all
}

// Args returns the flags that set it to what it is; none where it is left out.
func (s Setting) Args(p *Project) (args []string) {
	at := reflect.ValueOf(s.Value(p)).Elem()
	switch v := reflect.Indirect(at); {
	case at.IsZero():
	case v.Kind() == reflect.Bool:
		args = append(args, "--"+s.Flag)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			args = append(args, fmt.Sprintf("--%s=%v", s.Flag, v.Index(i)))
		}
	default:
		args = append(args, fmt.Sprintf("--%s=%v", s.Flag, v))
	}
	return args
}

// each calls do with every setting of the project, and those of client trees once for each tree.
func (p *Project) each(do func(s Setting, of *Project)) {
	for _, s := range Settings() {
		if !s.InClient() {
			do(s, p)
			continue
		}
		for i := range p.Clients {
			s := s
			s.Field = strings.Replace(s.Field, "[0]", fmt.Sprintf("[%d]", i), 1)
			do(s, &Project{Clients: p.Clients[i : i+1]})
		}
	}
}

// clean gives every path one spelling.
func (p *Project) clean() {
	p.each(func(s Setting, of *Project) {
		for _, text := range s.Strings(of) {
			if (s.Format == Path || s.Format == Inner) && *text != "" {
				*text = path.Clean(*text)
			}
		}
	})
	for i, c := range p.OpenAPI.Calls {
		if c.Dir != "" {
			p.OpenAPI.Calls[i].Dir = path.Clean(c.Dir)
		}
	}
	for dir, file := range maps.Clone(p.Boilerplates) {
		if delete(p.Boilerplates, dir); dir != "" && file != "" {
			dir, file = path.Clean(dir), path.Clean(file)
		}
		p.Boilerplates[dir] = file
	}
	for _, dirs := range p.ExcludeFrom {
		for i := range dirs {
			if dirs[i] != "" {
				dirs[i] = path.Clean(dirs[i])
			}
		}
	}
}

// check holds a setting to its own rules. Those that concern several are checked by others.
func (s Setting) check(p *Project, report func(field, format string, args ...any)) {
	if n, ok := s.numberOf(p); ok && n != 0 && s.number != nil {
		if err := s.number(n); err != nil {
			report(s.Field, "%v", err)
		}
	}
	if s.text == nil {
		return
	}
	_, list := s.Value(p).(*[]string)
	for i, text := range s.Strings(p) {
		field := s.Field
		if list {
			field += fmt.Sprintf("[%d]", i)
		} else if *text == "" {
			continue
		}
		if err := s.text(*text); err != nil {
			report(field, "%v", err)
		}
	}
}
