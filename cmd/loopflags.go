// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/ui"
)

// loopFlags are the flags that say what the section loop of crdctl.yaml says. run and manifests have them all.
type loopFlags struct{ *settings }

// bind returns the flags, for the command to add to its others. Namespaces is what this command calls the flag of the namespaces to
// follow: manifests has another use for --namespace.
func (f *loopFlags) bind(namespaces, short string) *pflag.FlagSet {
	all := config.LoopSettings()
	for i, s := range all {
		if s.Field == "loop.namespaces" {
			all[i].Flag, all[i].Short = namespaces, short
		}
	}
	f.settings = newSettings(all)
	return f.set
}

// over is the settings l with the flags that were given put over them, checked, and with defaults. All paths in the result
// are relative to root; those of flags are relative to the directory base.
func (f *loopFlags) over(l config.Loop, root, base string) (config.Loop, error) {
	if f.set.Changed("template") { // one thing decides, and a flag is the last word on what
		l.Hook, l.FinalizeHook, l.CustomizeHook, l.Persistent = "", "", "", false
	}
	if f.set.Changed("hook") {
		l.Template = ""
	}
	p := config.Project{Loop: l}
	var problems []error
	called := map[string]string{}
	for _, s := range f.given() {
		called[s.Field] = "--" + s.Flag
		if err := s.CheckGiven(&f.flag); err != nil {
			problems = append(problems, fmt.Errorf("--%s %w", s.Flag, err))
		}
		s.Copy(&p, &f.flag)
		for _, text := range s.Strings(&p) {
			switch s.Format {
			case config.Program:
				*text = rebased(*text, root, base)
			case config.Path:
				*text = relativeTo(root, base, *text)
			}
		}
	}
	report := func(field, format string, args ...any) {
		bare, _, _ := strings.Cut(field, "[")
		name, ok := called[bare]
		if !ok { // what the file says wrong next to a flag is called by its name there
			name = config.FileName + ": " + field
		}
		problems = append(problems, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
	}
	p.Loop.Check(report)
	if f.set.Changed("shard-by") && p.Loop.Shards <= 1 {
		report("loop.shardBy", "requires more than one shard; set --shards")
	}
	if len(problems) > 0 {
		slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		return p.Loop, ui.UsageError(errors.Join(problems...))
	}
	return p.Loop.WithDefaults(controllerName(root)), nil
}
