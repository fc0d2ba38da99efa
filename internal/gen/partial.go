// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/calls"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// parts are what both families made.
type parts struct {
	run    *generation
	made   *made
	called *calls.Made
	// left are code-generator's files, where these could not be made.
	left []tree.NotCompared
	// undetermined is the error of what could not be made here.
	undetermined error
}

// settle decides what counts when one family, or some calls, cannot be made. That is an error, unless a comparison of the others was
// asked for, there is something to compare, and nothing in the sources is wrong: a module or a version is unavailable.
func (all *parts) settle(ctx context.Context, root string, p *config.Project, o Options, codeErr, callsErr error) error {
	if callsErr != nil {
		return errors.Join(codeErr, callsErr)
	}
	if failed := errors.Join(codeErr, all.called.Err(false)); failed != nil && !o.Partial {
		return failed
	}
	all.undetermined = all.called.Undetermined()
	if codeErr != nil && o.Discovered && guessedWrong(codeErr) && all.withoutTrees(ctx, root, p, o, codeErr) {
		return nil
	}
	if codeErr != nil && o.Discovered && all.withoutCopies(ctx, root, p, o, codeErr) {
		return nil
	}
	switch {
	case codeErr == nil && len(all.called.Failed) == 0:
		return nil
	case codeErr == nil && len(all.called.Files)+len(all.made.Files)+len(all.made.Manifests) == 0:
		return all.called.Err(true)
	case codeErr == nil:
		return nil
	case len(all.called.Files) == 0, !diag.IsUnavailable(codeErr) && (!o.Discovered || !guessedWrong(codeErr)):
		return errors.Join(codeErr, all.called.Err(true))
	}
	if diag.IsUnavailable(codeErr) && !diag.IsUnsupported(codeErr) || olderFailed(codeErr) {
		all.undetermined = errors.Join(codeErr, all.undetermined)
	}
	rest := *p
	rest.APIs, rest.Clients, rest.OpenAPI, rest.CRDs, rest.RBAC = nil, nil, config.OpenAPI{}, config.CRDs{}, config.RBAC{}
	var err error
	if all.run, err = newGeneration(ctx, root, &rest, o); err != nil {
		return errors.Join(codeErr, err)
	}
	all.made = &made{cached: true}
	if all.left, err = notMade(root, p, codeErr); err != nil {
		return err
	}
	var theirs []string
	for _, n := range all.left {
		theirs = append(theirs, n.Paths...)
	}
	// A call may make deep copies of a package too that deepcopy-gen makes afterwards.
	all.called.Files = slices.DeleteFunc(all.called.Files, func(f controllergen.File) bool { return slices.Contains(theirs, f.Path) })
	return nil
}

// withoutTrees makes all of code-generator's files but the client trees that an error names, or the definitions that an older openapi-gen
// does not make, and reports whether that can be done.
func (all *parts) withoutTrees(ctx context.Context, root string, p *config.Project, o Options, why error) bool {
	rest, failed := *p, config.Project{}
	if undefined.MatchString(why.Error()) {
		rest.OpenAPI, failed.OpenAPI = config.OpenAPI{}, p.OpenAPI
	} else {
		rest.Clients, failed.Clients = failedTrees(p.Clients, why)
	}
	if len(failed.Clients)+len(failed.OpenAPI.Dirs()) == 0 {
		return false
	}
	run, err := newGeneration(ctx, root, &rest, o)
	if err != nil {
		return false
	}
	made, err := run.cachedOrMade(ctx, o)
	if err != nil || len(made.Files) == 0 {
		return false
	}
	left, err := notMade(root, &failed, why)
	if err != nil {
		return false
	}
	all.run, all.made, all.left = run, made, left
	if olderFailed(why) {
		all.undetermined = errors.Join(why, all.undetermined)
	}
	return true
}

// failedTrees tells the client trees that an error names from the others. A generator of clients that crashes names none: it may be any.
func failedTrees(all []config.Client, why error) (rest, failed []config.Client) {
	if crashed.MatchString(why.Error()) {
		return nil, all
	}
	for _, c := range all {
		if strings.Contains(why.Error(), c.Dir) {
			failed = append(failed, c)
		} else {
			rest = append(rest, c)
		}
	}
	return rest, failed
}

// crashed is the error of a program of an older version that generates clients and has a bug.
var crashed = regexp.MustCompile(`(?s)^(client|lister|informer|applyconfiguration)-gen v\S+: .*runtime error: `)

// undefined is the error of an openapi-gen of an older version, which fails for packages of newer modules.
var undefined = regexp.MustCompile(`^openapi-gen v\S+: `)

// olderFailed reports whether an error is of a program of an older version that failed by itself: what it makes is undetermined.
func olderFailed(err error) bool {
	return crashed.MatchString(err.Error()) || undefined.MatchString(err.Error())
}

// uncopied is the line of an error about a field of which no deep copy can be made.
var uncopied = regexp.MustCompile(`(?m)^ +(\S+)/[^/\s]+\.go:\d+:\d+: \S+ has the type .*, which cannot be deep-copied`)

// withoutCopies makes all of code-generator's files but the deep copies of packages with fields that cannot be copied, where these have deep copies: a
// person wrote them, or the field came later. It reports whether that can be done, and what is left is undetermined.
func (all *parts) withoutCopies(ctx context.Context, root string, p *config.Project, o Options, why error) bool {
	rest := *p
	rest.ExcludeFrom = maps.Clone(p.ExcludeFrom)
	if rest.ExcludeFrom == nil {
		rest.ExcludeFrom = map[string][]string{}
	}
	left := tree.NotCompared{Kind: "deepcopy", Tool: "deepcopy-gen", Reason: calls.Reason(why)}
	for err := why; err != nil; { // each run may name those of one package
		before := len(left.Paths)
		for _, m := range uncopied.FindAllStringSubmatch(err.Error(), -1) {
			file := path.Join(m[1], controllergen.DeepCopyFile)
			if data, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(file)), safefs.MaxFile); err == nil && codegen.IsGenerated(data) && !slices.Contains(left.Paths, file) {
				left.Paths = append(left.Paths, file)
				rest.ExcludeFrom["deepcopy"] = append(slices.Clone(rest.ExcludeFrom["deepcopy"]), m[1])
			}
		}
		if len(left.Paths) == before {
			return false
		}
		run, runErr := newGeneration(ctx, root, &rest, o)
		if runErr != nil {
			return false
		}
		var made *made
		if made, err = run.cachedOrMade(ctx, o); err == nil && len(made.Files)+len(all.called.Files) > 0 {
			all.run, all.made = run, made
		} else if err == nil {
			return false
		}
	}
	slices.Sort(left.Paths)
	all.left, all.undetermined = append(all.left, left), errors.Join(why, all.undetermined)
	return true
}

// The first two are in the errors about what generators write, those of crdctl and older ones, and twiceConverted in that of conversion-gen for
// packages that scripts give it one by one.
const (
	notGo          = "code that is not Go"
	notFormatted   = "unable to format file"
	twiceConverted = "duplicate static conversion defined"
)

// guessedWrong reports whether an error may come of settings that were guessed.
func guessedWrong(err error) bool {
	return olderFailed(err) ||
		slices.ContainsFunc([]string{notGo, notFormatted, twiceConverted}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

var byGenerator = regexp.MustCompile(`(?m)^// Code generated by ((?:[a-z]+-)+gen)\. DO NOT EDIT\.$`)

// notMade are the files of code-generator on disk, by generator.
func notMade(root string, p *config.Project, why error) (all []tree.NotCompared, err error) {
	dirs := slices.Clone(p.APIs)
	for _, c := range p.Clients {
		dirs = append(dirs, c.Dir)
	}
	dirs = append(dirs, p.OpenAPI.Dirs()...)
	files := map[string][]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(at string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || !d.Type().IsRegular() || filepath.Ext(at) != ".go" {
				return err
			}
			rel, err := filepath.Rel(root, at)
			if err != nil {
				return err
			}
			data, err := safefs.ReadFile(at, safefs.MaxFile)
			if err != nil || !codegen.IsGenerated(data) {
				return err
			}
			if m := byGenerator.FindSubmatch(data); m != nil && string(m[1]) != calls.Tool {
				files[string(m[1])] = append(files[string(m[1])], filepath.ToSlash(rel))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, m := range []struct{ kind, dir string }{{"crd", p.CRDs.Dir}, {"rbac", p.RBAC.Dir}} {
		if m.dir != "" {
			all = append(all, tree.NotCompared{Kind: m.kind, Tool: calls.Tool, Paths: []string{m.dir}, Reason: calls.Reason(why)})
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(files)) {
		paths := slices.Compact(slices.Sorted(slices.Values(files[tool])))
		all = append(all, tree.NotCompared{Kind: strings.TrimSuffix(tool, "-gen"), Tool: tool, Paths: paths, Reason: calls.Reason(why)})
	}
	return all, nil
}
