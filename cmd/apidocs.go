// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/apidocs"
	"github.com/crdctl/crdctl/internal/apidocs/page"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

type docsOptions struct {
	*options
	settings *settings
	crds     string
	check    bool
	print    string
}

func newDocs(s ui.Streams, shared *options) *cobra.Command {
	o := docsOptions{options: shared, settings: newSettings(config.DocsSettings())}
	c := &cobra.Command{
		Use:   "docs",
		Short: "Write the API reference of the project",
		Long: `Docs writes pages about the kinds of the project for those who use them: Markdown, one page for each kind and version and an index,
and one page of HTML with all of it, which needs no other file.

What the pages say is what the CRDs say; Go types add names, and the comments of constants. Examples are samples of the project that the API
server would take. Only pages that docs itself wrote are replaced or removed. The section docs of crdctl.yaml has the settings.

With --check it writes nothing and compares, as verify does. Exit codes: 0 if the pages are up to date; 1 if not, with the differences on
standard output as a patch; 2 if it could not be determined.`,
		Example: "  crdctl docs\n  crdctl docs --check\n  crdctl docs --crd-dir config/crd --format html --output-dir site/api",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runDocs(c.Context(), s, o) },
	}
	c.Flags().AddFlagSet(o.settings.set)
	c.Flags().StringVar(&o.crds, "crd-dir", "", "`directory` of the CRDs, where there are no settings or Go types")
	c.Flags().BoolVar(&o.check, "check", false, "compare with the pages on disk, and write nothing")
	c.Flags().StringVar(&o.print, "print-template", "", "print crdctl's own template of a `name`, to be edited")
	// The flags are there, and nothing else can go wrong.
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(config.DocsFormats, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("print-template", cobra.FixedCompletions(page.Templates(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func runDocs(ctx context.Context, s ui.Streams, o docsOptions) (err error) {
	if o.print != "" {
		text, err := page.Builtin(o.print)
		if err != nil {
			return ui.UsageErrorf("--print-template: %w", err)
		}
		_, err = s.Out.Write([]byte(text))
		return err
	}
	at, err := o.withCRDs(s, o.crds)
	if err != nil {
		return err
	}
	d, err := o.docs(at)
	if err != nil {
		return err
	}
	if !o.check {
		lock, lockErr := o.lock(ctx, s.Err)
		if lockErr != nil {
			return lockErr
		}
		defer func() { err = errors.Join(err, lock.Unlock()) }()
	}
	root, dir := outputRoot(at.root, d.Dir)
	if !o.check {
		recovered(s, root)
	}
	shown, done := s.Report().Work(ctx, "writing the API reference")
	r, changes, err := makeDocs(shown, at, o, d, root, dir)
	if done(); err != nil {
		return err
	}
	edited, err := r.LeftOver(root)
	if err != nil {
		return err
	}
	s.Report().Lines(r.Notes)
	for _, page := range edited {
		s.Report().Printf("%s is left over: it is no longer written, and was edited; delete it, or remove the mark to keep it", page)
	}
	if o.check {
		return checkDocs(s, o, changes, r.Tree.Len(), len(edited) == 0)
	}
	if err := tree.Write(root, changes); err != nil {
		return err
	}
	printChanges(s.Out, changes, false)
	s.Report().Printf("%s in %s", tally(changes, r.Tree.Len(), false), filepath.FromSlash(d.Dir))
	return nil
}

// docs are the settings with the flags that were given instead of theirs. Paths are relative to the root; those of flags may lead out of it.
func (o docsOptions) docs(at *located) (config.Docs, error) {
	base, err := realPath(o.dir)
	if err != nil {
		return config.Docs{}, err
	}
	p := &config.Project{Docs: at.settings.Docs}
	var problems []error
	for _, s := range o.settings.given() {
		if err := s.CheckGiven(&o.settings.flag); err != nil {
			problems = append(problems, ui.UsageErrorf("--%s %w", s.Flag, err))
			continue
		}
		s.Copy(p, &o.settings.flag)
		if s.Format == config.Path {
			for _, text := range s.Strings(p) {
				*text = relativeTo(at.root, base, *text)
			}
			continue
		}
		p.Docs.Check(func(field, format string, args ...any) {
			if strings.HasPrefix(field, s.Field) {
				problems = append(problems, ui.UsageErrorf("--%s: %s", s.Flag, fmt.Sprintf(format, args...)))
			}
		})
	}
	return p.Docs.WithDefaults(), errors.Join(problems...)
}

// outputRoot is the directory that pages are written in, and the way from there to their own: the project, or for pages elsewhere the closest
// directory that exists.
func outputRoot(project, dir string) (root, rel string) {
	if filepath.IsLocal(filepath.FromSlash(dir)) {
		return project, dir
	}
	full := filepath.Clean(filepath.Join(project, filepath.FromSlash(dir)))
	if filepath.IsAbs(filepath.FromSlash(dir)) {
		full = filepath.Clean(filepath.FromSlash(dir)) // on another drive
	}
	for root = filepath.Dir(full); root != filepath.Dir(root); root = filepath.Dir(root) {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			break
		}
	}
	way, err := filepath.Rel(root, full)
	if err != nil {
		return root, filepath.Base(full)
	}
	return root, filepath.ToSlash(way)
}

// makeDocs makes the pages and compares them with the disk.
func makeDocs(ctx context.Context, at *located, of docsOptions, d config.Docs, root, dir string) (*apidocs.Result, []tree.Change, error) {
	p, err := project.Open(at.root, at.settings)
	if err != nil {
		return nil, nil, err
	}
	o := apidocs.Options{Dir: dir, Formats: d.Formats, Ignore: d.Ignore, Named: d.Template}
	if d.Template != "" {
		templates := filepath.Join(at.root, filepath.FromSlash(d.Template))
		if filepath.IsAbs(filepath.FromSlash(d.Template)) {
			templates = filepath.FromSlash(d.Template)
		}
		if info, err := os.Stat(templates); err != nil || !info.IsDir() {
			return nil, nil, fmt.Errorf("docs.template: %s is not a directory", d.Template)
		}
		o.Templates = os.DirFS(templates)
	}
	if d.Against != "" {
		dir := at.root // of a path in the settings
		if of.settings.set.Changed("against") {
			dir = of.dir
		}
		if o.Against, err = revision.Open(ctx, at.root, dir, d.Against); err != nil {
			return nil, nil, err
		}
		defer func() { _ = o.Against.Close() }()
	}
	r, err := apidocs.Make(ctx, p, o)
	if err != nil {
		return nil, nil, err
	}
	changes, err := r.Tree.Diff(root)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; make the directory first", err)
	}
	return r, changes, err
}

// checkDocs prints how the pages on disk differ from what they should be. It is not fine that some are left over.
func checkDocs(s ui.Streams, o docsOptions, changes []tree.Change, pages int, fine bool) error {
	if len(changes) == 0 && !fine {
		return ui.ErrNo
	}
	if len(changes) == 0 {
		_, err := fmt.Fprintf(s.Out, "%s up to date\n", text.Count(pages, "page of the API reference is", "pages of the API reference are"))
		return err
	}
	paint := ui.NewPaint(s.Out, o.color)
	for _, c := range changes {
		if _, err := fmt.Fprint(s.Out, paint.Diff(c.Patch())); err != nil {
			return fmt.Errorf("write the patch: %w", err)
		}
	}
	s.Report().Printf("%s not up to date; run: crdctl docs", text.Count(len(changes), "page of the API reference is", "pages of the API reference are"))
	return ui.ErrNo
}
