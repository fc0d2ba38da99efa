// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
)

// settings are the flags of a command that say what crdctl.yaml says. A flag that is given takes the place of what the file, or the
// discovery, says.
type settings struct {
	set  *pflag.FlagSet // has no other flags
	all  []config.Setting
	flag config.Project
}

func newSettings(all []config.Setting) *settings {
	f := &settings{set: pflag.NewFlagSet("settings", pflag.ContinueOnError), all: all}
	f.flag.Clients = []config.Client{{}}
	for _, s := range all {
		f.register(s)
	}
	return f
}

// settingsFlags registers the flags of generate, verify and adopt: those of kube_codegen.sh, under its names.
func settingsFlags(set *pflag.FlagSet) *settings {
	f := newSettings(config.GenerateSettings())
	set.AddFlagSet(f.set)
	return f
}

// register adds the flag of a setting. Its default is in the help only: what is not given is left out.
func (f *settings) register(s config.Setting) {
	usage := s.Usage
	value := s.Value(&f.flag)
	if _, list := value.(*[]string); list && !s.Commas {
		usage += " (repeatable)"
	}
	if text := s.DefaultText(); s.Default != nil {
		usage += " (default " + text + ")"
	} else if text != "" {
		usage += " (default: " + text + ")"
	}
	switch v := value.(type) {
	case *string:
		f.set.StringVarP(v, s.Flag, s.Short, "", usage)
	case *bool:
		f.set.BoolVarP(v, s.Flag, s.Short, false, usage)
	case *int:
		f.set.IntVarP(v, s.Flag, s.Short, 0, usage)
	case *int64:
		f.set.Int64VarP(v, s.Flag, s.Short, 0, usage)
	case *time.Duration:
		f.set.DurationVarP(v, s.Flag, s.Short, 0, usage)
	case **time.Duration:
		*v = f.set.DurationP(s.Flag, s.Short, 0, usage)
	case *map[string]string:
		f.set.VarP(pairs{v}, s.Flag, s.Short, usage)
	case *[]string:
		if s.Commas {
			f.set.StringSliceVarP(v, s.Flag, s.Short, nil, usage)
		} else {
			f.set.StringArrayVarP(v, s.Flag, s.Short, nil, usage)
		}
	}
}

// given are the settings whose flags were given.
func (f *settings) given() (all []config.Setting) {
	for _, s := range f.all {
		if f.set.Changed(s.Flag) {
			all = append(all, s)
		}
	}
	return all
}

// pairs is the value of a flag with a map: KEY:VALUE,…
type pairs struct{ all *map[string]string }

func (pairs) String() string { return "" }

func (pairs) Type() string { return "strings" }

func (p pairs) Set(text string) error {
	all := maps.Clone(*p.all)
	if all == nil {
		all = map[string]string{}
	}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(pair, ":")
		if text != "" && (key == "" || value == "") {
			return fmt.Errorf("%q must have the form NAME:NAME", pair)
		}
		all[key] = value
	}
	delete(all, "") // of an empty text
	*p.all = all
	return nil
}
