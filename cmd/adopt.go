// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

type adoptOptions struct {
	*options
	settings      *settings
	dryRun, force bool
}

func newAdopt(s ui.Streams, shared *options) *cobra.Command {
	o := adoptOptions{options: shared}
	c := &cobra.Command{
		Use:   "adopt",
		Short: "Write crdctl.yaml for a repository that generates code with other tools",
		Long: `Adopt detects how the code of a repository is generated: from the generated files, from the makefiles, scripts and
go:generate lines that run the generators, and from go.mod. It writes the settings to ` + config.FileName + `, each setting with the place where
it was found.

It runs no script and changes no other file. What it could not read or decide is reported on standard error with file and line,
as is code of controller-gen whose calls cannot be read ("not adopted").

With --force, settings of an existing ` + config.FileName + ` that nothing in the repository shows or contradicts stay; its comments do not.

Exit codes: 0 if everything was read; 1 if something that changes generated code was not (` + config.FileName + ` is written anyway);
2 for errors, or if there is no code for crdctl to generate; nothing is written.`,
		Example: "  crdctl adopt --dry-run\n  crdctl adopt && crdctl verify",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return runAdopt(s, o) },
	}
	o.settings = settingsFlags(c.Flags())
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the file instead of writing it")
	c.Flags().BoolVar(&o.force, "force", false, "update an existing "+config.FileName+" with what is found")
	return c
}

func runAdopt(s ui.Streams, o adoptOptions) error {
	file := filepath.Join(o.dir, config.FileName)
	base, err := realPath(o.dir)
	if err != nil {
		return fmt.Errorf("%w; give the project's directory with --dir", err)
	}
	if !o.dryRun {
		recovered(s, base)
	}
	var seen tree.Seen
	if _, err := os.Lstat(file); err == nil && !o.force && !o.dryRun {
		return fmt.Errorf("%s exists; --force updates it", file)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before, _ := seen.ReadFile(filepath.Join(base, config.FileName)) // to hold it to that when it is written
	edit := o.settings.edit(base, base)
	if len(bytes.TrimSpace(before)) > 0 {
		if edit.Was, err = config.Written(config.FileName, before); err != nil {
			return fmt.Errorf("%w\ncorrect it, or delete the file; adopt keeps the settings in it that the repository does not show", err)
		}
	}
	root, found, err := discover(base, func(string) detect.Edit { return edit })
	switch {
	case err != nil:
		return err
	case root != base:
		return fmt.Errorf("nothing is generated in %s, but in its module; set --dir to %s", base, root)
	}
	if mistake := gen.MarkerMistake(base, found.Project); mistake != "" {
		found.NoteMarkers(mistake)
	}
	adopted := found.YAML()
	if edit.Was != nil && edit.Was.Scaffold != nil {
		if adopted, err = config.PutScaffold(adopted, edit.Was.Scaffold); err != nil {
			return err
		}
	}
	if o.dryRun {
		if _, err := s.Out.Write(adopted); err != nil {
			return err
		}
	} else if err := writeAdopted(base, &seen, adopted); err != nil {
		return err
	}
	for _, line := range tree.Lines(found.NotCompared) {
		s.Report().Printf("not adopted: %s", line)
	}
	for _, u := range found.Unread {
		s.Report().Printf("%s", u)
	}
	if !o.dryRun {
		_, _ = fmt.Fprintf(s.Out, "wrote %s\n", file)
	}
	if found.Undecided() {
		return ui.ErrNo
	}
	return nil
}

// writeAdopted writes the file as generated files are written: all of it or nothing.
func writeAdopted(base string, seen *tree.Seen, data []byte) error {
	t := tree.New()
	if err := t.Add(config.FileName, data); err != nil {
		return err
	}
	changes, err := t.Diff(base)
	if err == nil {
		err = seen.Check(base, changes)
	}
	if err != nil {
		return err
	}
	return tree.Write(base, changes)
}
