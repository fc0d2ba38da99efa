// SPDX-License-Identifier: Apache-2.0

// Package controllergen reads from a repository how controller-gen made its files: the calls, from scripts or, where none is found, from the
// files themselves, the version, and what changes the files afterwards.
package controllergen

import (
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/detect/evidence"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Name is the name of the tool in the files that it makes.
const Name = "controller-gen"

// DeepCopies is the name of its files of deep copies.
const DeepCopies = "zz_generated.deepcopy.go"

// Reader reads a repository.
type Reader struct {
	*repo.Repo
	*evidence.Record
	Kinds repo.Kinds
	// ClientDirs are the directories of each client tree.
	ClientDirs [][]string
	// HeaderFile is the file that a number of files with a header have it from, "" if there is none.
	HeaderFile func(header string, files int) string

	steps *steps.Found // the commands that may call controller-gen
	// removedDirs are the directories of controller-gen's files that a script deletes when it has used them.
	removedDirs []string
	// moves are the commands that move CRDs by a pattern from where controller-gen writes them.
	moves []move
	// regrouped reports that most clients have other groups of imports than their generator writes, and no command was found that makes them.
	regrouped bool
	// copies are CRDs that are also where a call makes them, or missing there.
	copies []string
}

// Read finds the calls of controller-gen that made what is here. Of what they are not found for, it lists what
// controller-gen made and crdctl does not make.
func (r *Reader) Read() {
	calls := r.settleHeaders(r.findHeaders(r.readCalls()))
	own := r.readOwn(r.ownManifests())
	r.readPostProcessed(calls, own)
	r.readForms(calls, own)
	r.readClientImports()
	r.readClientEdits()
	r.leaveCopied(calls)
	calls = r.inferCalls(calls, own)
	r.readImportForms(calls, own)
	r.leaveToOwnProgram(calls, own)
	r.leaveMoved(calls, own)
	r.leaveUncovered(calls, own)
	calls = r.keepCalls(calls)
	calls = r.versionCalls(calls, own)
	r.listDerived(calls, own)
	for i, c := range calls {
		if c.Inferred == "" {
			c.Place = c.at
		}
		r.Settings.ControllerGen.Calls = append(r.Settings.ControllerGen.Calls, c.ControllerGenCall)
		r.Set(fmt.Sprintf("controllerGen.calls[%d]", i), c.at)
	}
}

// Made reports whether controller-gen made anything here, or a script calls it.
func (r *Reader) Made() bool {
	calls := func(g repo.Directive) bool { return wanted(g.Text) }
	return slices.ContainsFunc(r.Files, func(f *repo.GoFile) bool {
		return f.Generator == Name || slices.ContainsFunc(f.Generate, calls)
	}) ||
		len(r.ownManifests()) > 0 ||
		len(r.Roles) > 0 && r.HasMarker("rbac") ||
		len(r.Webhooks) > 0 && r.HasMarker("webhook") ||
		slices.ContainsFunc(r.Texts, func(t repo.Script) bool { return wanted(string(commentLine.ReplaceAll(t.Data, nil))) })
}

var commentLine = lazyregexp.New(`(?m)^[ \t]*#.*$`)
