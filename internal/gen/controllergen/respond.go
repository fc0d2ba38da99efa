// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"cmp"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"sync"

	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/toolchain"
	"github.com/crdctl/crdctl/internal/safefs"
)

// openEngines opens the engines of all calls while their packages are listed. The caller calls the function that it returns when it needs
// no engine anymore.
func (r *runner) openEngines(ctx context.Context) (done func()) {
	ctx, stop := context.WithCancel(ctx)
	r.engines = map[string]func() (*toolchain.ControllerGen, error){}
	var opening sync.WaitGroup
	for _, c := range r.calls {
		if c.engine == "" || r.engines[c.engine] != nil {
			continue
		}
		once := sync.OnceValues(func() (*toolchain.ControllerGen, error) { return toolchain.OpenControllerGen(ctx, c.engine) })
		r.engines[c.engine] = once
		opening.Go(func() { _, _ = once() }) // who asks the engine gets the error
	}
	return func() {
		stop()
		opening.Wait()
	}
}

// together groups the calls that one process runs, where what they all read is parsed once: those that this process could run join
// those of the same version that need an engine.
func (r *runner) together() (groups [][]*call) {
	at := map[[3]string]int{}
	for _, c := range r.calls {
		key := [3]string{c.engine, c.annotation, c.arch}
		if r.engines[c.code] != nil {
			key[0] = c.code
		}
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[key]] = append(groups[at[key]], c)
	}
	return groups
}

// ask has calls run by one process.
func (r *runner) ask(ctx context.Context, calls []*call) (files []File, err error) {
	scratch, err := os.MkdirTemp(r.scratch, "request-")
	if err != nil {
		return nil, err
	}
	request := host.Request{Version: calls[0].annotation, Root: r.root, Scratch: scratch}
	version := ""
	var here []*call // that this process could run
	var rest []int   // the numbers of the others
	for _, c := range calls {
		request.Arch, request.Fixed = c.arch, c.fixed
		request.Calls = append(request.Calls, c.request)
		if version = cmp.Or(version, c.engine); c.engine == "" {
			here = append(here, c)
		} else {
			rest = append(rest, c.number)
		}
	}
	response, err := r.respond(ctx, version, request)
	if err != nil && version != "" {
		if err := r.fail(err, rest...); err != nil || len(here) == 0 {
			return nil, err
		}
		return r.ask(ctx, here)
	}
	if err != nil {
		return nil, err
	}
	for i, result := range response.Results {
		made, err := r.files(calls[i], result)
		if err == nil {
			files = append(files, made...)
		} else if err := r.failCall(calls[i], err); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// failCall notes the error of a call that need not end the others, and returns any other.
func (r *runner) failCall(c *call, err error) error {
	if c.Inferred != "" && !diag.IsUnavailable(err) {
		r.note(diag.Inferred(c.Inferred, err), c.number)
		return nil
	}
	if c.Object != nil && !isGo(c.at(c.Object.HeaderFile)) {
		err = diag.Unavailable(fmt.Errorf("%s is not Go code: %w", c.Object.HeaderFile, err)) // the types may be right, and deep copies made otherwise
	}
	return r.fail(err, c.number)
}

// isGo reports whether a header can be above Go code. One that cannot be read is another error.
func isGo(header string) bool {
	data, err := safefs.ReadFile(header, safefs.MaxFile)
	if header == "" || err != nil {
		return true
	}
	_, err = parser.ParseFile(token.NewFileSet(), "", append(data, "\npackage p\n"...), parser.PackageClauseOnly)
	return err == nil
}

// respond has a request answered by the engine of a version, or in this process.
func (r *runner) respond(ctx context.Context, version string, request host.Request) (host.Response, error) {
	if version == "" {
		return host.Run(ctx, request)
	}
	engine, err := r.engines[version]()
	if err != nil {
		return host.Response{}, err
	}
	return engine.Ask(ctx, r.root, request)
}
