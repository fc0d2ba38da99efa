// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/run/observe"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// fakeLoop is a loop whose steps only note that they were asked for, and fail where a test says so.
type fakeLoop struct {
	*devLoop
	changes chan fswatch.Change
	did     []string
	fail    map[string]error // by step
	said    bytes.Buffer
	program byte // what a build makes
}

func newFakeLoop(t *testing.T, o Options) *fakeLoop {
	t.Helper()
	o.Root = t.TempDir()
	if o.Project == nil {
		o.Project = &config.Project{APIs: []string{"apis"}}
		require.NoError(t, os.Mkdir(filepath.Join(o.Root, "apis"), 0o750))
	}
	f := &fakeLoop{changes: make(chan fswatch.Change), fail: map[string]error{}}
	step := func(name string) error {
		f.did = append(f.did, name)
		return f.fail[name]
	}
	f.devLoop = &devLoop{
		Options: o, installer: &installer{}, watcher: &fswatch.Watcher{Changes: f.changes},
		reporter: ui.NewReporter(&f.said),
		steps: steps{
			generate: func(context.Context) error { return step("generate") },
			begin:    func(context.Context) error { return step("begin") },
			update:   func(context.Context, fswatch.Change) (error, error) { return f.fail["update"], nil }, // runs at the same time as build
			build: func(context.Context, bool) (*binary, error) {
				return &binary{sum: sha256.Sum256([]byte{f.program})}, step("build")
			},
			start: func(*binary) error { return step("start") },
			stop:  func() {},
		},
	}
	return f
}

// run runs the loop, calls then when it has nothing left to do, ends it, and returns its error.
func (f *fakeLoop) run(t *testing.T, then func()) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- f.loop(ctx) }()
	synctest.Wait()
	if then != nil {
		then()
		synctest.Wait()
	}
	cancel()
	return <-ended
}

// save tells the loop of a change, and returns what it has done since the one before.
func (f *fakeLoop) save(files ...string) []string {
	f.did = nil
	f.changes <- fswatch.Change{Sources: files}
	synctest.Wait()
	return f.did
}

func (f *fakeLoop) wantDid(t *testing.T, got []string, want ...string) {
	t.Helper()
	assert.Equal(t, want, got, "did: %s", f.said.String())
}

var errFake = errors.New("file.yaml:3: no good")

// CRDs are looked for again when a build has downloaded their modules, but not during the update of the API server: it goes on at the same
// time as the build, and both change the installer.
func TestLoopLooksForCRDsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeLoop(t, Options{Options: builtin.Options{SkipCRDs: true}})
		f.installer = &installer{Options: f.Options, undownloaded: true, broken: map[string]bool{}}
		during := false
		f.steps.update = func(context.Context, fswatch.Change) (error, error) {
			time.Sleep(time.Second) // until the build has ended
			during = f.installer.undownloaded
			return nil, nil
		}
		assert.NoError(t, f.run(t, func() { time.Sleep(time.Minute) }))
		assert.True(t, during)
		assert.False(t, f.installer.undownloaded)
	})
}

// What the sources say that were read again during a build counts once the update of the API server has ended, which reads it.
func TestLoopTakesSourcesAfterTheUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeLoop(t, Options{Options: builtin.Options{SkipCRDs: true}})
		before, now := &mainpkg.Program{}, &mainpkg.Program{}
		f.installer = &installer{Options: f.Options, program: &program{source: before}, source: now, broken: map[string]bool{}}
		var during *mainpkg.Program
		f.steps.update = func(context.Context, fswatch.Change) (error, error) {
			time.Sleep(time.Second) // until the build has ended
			during = f.installer.program.source
			return nil, nil
		}
		assert.NoError(t, f.run(t, func() { time.Sleep(time.Minute) }))
		assert.Same(t, before, during)
		assert.Same(t, now, f.installer.program.source)
	})
}

// What is generated may be older than the types: a run begins by generating, before the API server gets any CRD.
func TestLoopGeneratesAtItsStart(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		want    []string
		note    string
	}{
		"settings":       {Options{}, []string{"generate", "begin", "build", "start"}, ""},
		"found settings": {Options{Discovered: true}, []string{"begin", "build", "start"}, "no crdctl.yaml says what is generated, so nothing is generated at the start"},
		"skipped":        {Options{SkipGenerate: true}, []string{"begin", "build", "start"}, ""},
		"no directory":   {Options{Project: &config.Project{APIs: []string{"nowhere"}}}, []string{"begin", "build", "start"}, "apis: nowhere does not exist, so nothing is generated"},
		"no APIs":        {Options{Project: &config.Project{}}, []string{"begin", "build", "start"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeLoop(t, test.options)
				assert.NoError(t, f.run(t, nil))
				f.wantDid(t, f.did, test.want...)
				assert.Contains(t, f.said.String(), test.note)
				assert.Equal(t, test.note != "", strings.Contains(f.said.String(), "generated"), f.said.String())
			})
		})
	}
}

func TestLoopGeneratesOnChangesOfTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeLoop(t, Options{})
		if err := f.run(t, func() {
			f.wantDid(t, f.save("apis/v1/types.go"), "generate", "build", "start")
			f.wantDid(t, f.save("main.go"), "build", "start")
			f.SkipGenerate = true
			f.wantDid(t, f.save("apis/v1/types.go"), "build", "start")
		}); err != nil {
			t.Error(err)
		}
	})
}

// An error in a file is reported, and its fix is waited for, at the start as later, and all that was left out is made good.
func TestLoopWaitsForAFix(t *testing.T) {
	for _, step := range []string{"generate", "begin", "build"} {
		t.Run(step, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeLoop(t, Options{})
				f.fail[step] = errFake
				if err := f.run(t, func() {
					if f.did[len(f.did)-1] != step || !strings.Contains(f.said.String(), errFake.Error()) || !strings.Contains(f.said.String(), "waiting for a change") {
						t.Errorf("did %v, said:\n%s", f.did, f.said.String())
					}
					delete(f.fail, step)
					steps := []string{"generate", "begin", "build", "start"}
					f.wantDid(t, f.save("main.go"), steps[slices.Index(steps, step):]...)
				}); err != nil {
					t.Error(err)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				f := newFakeLoop(t, Options{Once: true})
				f.fail[step] = errFake
				assert.Error(t, f.run(t, nil), "--once does not end with an error")
			})
		})
	}
}

// What a save did not touch is tried again with it, but an error that stays the same is printed once: else the errors of a directory of samples
// hide what the compiler prints.
func TestLoopRepeatsNoErrorOfSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeLoop(t, Options{Project: &config.Project{Controller: config.Controller{Samples: []string{"config/samples"}}}})
		refused := errFake
		f.steps.update = func(context.Context, fswatch.Change) (error, error) { return nil, refused }
		sample := func() {
			f.changes <- fswatch.Change{Manifests: []string{"config/samples/a.yaml"}}
			synctest.Wait()
		}
		printed := func() int { return strings.Count(f.said.String(), errFake.Error()) }
		require.NoError(t, f.run(t, func() {
			assert.Equal(t, 1, printed())
			assert.NotContains(t, f.said.String(), "same errors")
			f.save("main.go")
			assert.Equal(t, 1, printed())
			assert.Contains(t, f.said.String(), "manifests or samples have the same errors as before")
			sample()
			assert.Equal(t, 2, printed(), "the save of a sample has an answer")
			refused = nil
			f.save("main.go")
			refused = errFake
			f.save("main.go")
			assert.Equal(t, 3, printed(), "it is back")
		}))
	})
}

// What the API server refuses because a webhook is not served yet is applied soon after the controller was started, without a save; what it
// refuses for good is tried once, silently.
func TestLoopTriesAgainAfterTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeLoop(t, Options{})
		tries, refused := 0, errFake
		f.steps.update = func(context.Context, fswatch.Change) (error, error) {
			tries++
			return nil, refused
		}
		require.NoError(t, f.run(t, func() {
			f.installer.refused = errFake.Error()
			time.Sleep(time.Minute)
			assert.Equal(t, 2, tries)
			f.program++
			f.save("main.go")
			assert.Equal(t, 3, tries)
			refused = nil
			time.Sleep(time.Minute)
			assert.Equal(t, 4, tries)
			assert.Empty(t, f.installer.refused)
			assert.Equal(t, 1, strings.Count(f.said.String(), errFake.Error()), f.said.String())
			assert.Equal(t, 1, strings.Count(f.said.String(), "same errors"), f.said.String())
		}))
	})
}

// What no change of a file can help against ends the run at once.
func TestLoopEndsWhereNothingHelps(t *testing.T) {
	for name, err := range map[string]error{
		"no API server": &url.Error{Op: "Get", URL: "https://192.0.2.1", Err: errFake},
		"no account":    errors.Join(errFake, target.Broken(errors.New("there is no such account"))),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeLoop(t, Options{})
				f.fail["begin"] = err
				assert.ErrorIs(t, f.run(t, nil), err)
			})
		})
	}
}

// A build that gives the same program restarts nothing, and says so.
func TestLoopKeepsTheSameProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeLoop(t, Options{})
		start := f.steps.start
		f.steps.start = func(b *binary) error {
			f.child = controller{process: &proc.Process{}, sum: b.sum}
			return start(b)
		}
		if err := f.run(t, func() {
			f.wantDid(t, f.save("main.go"), "build")
			assert.Contains(t, f.said.String(), "same program", "said")
			f.program++
			f.wantDid(t, f.save("main.go"), "build", "start")
		}); err != nil {
			t.Error(err)
		}
	})
}

// What a loop does about a save is recorded, with the files of the save; what no file asked for has none.
func TestLoopRecordsSaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder, err := trace.New(trace.Options{})
		require.NoError(t, err)
		f := newFakeLoop(t, Options{})
		f.observe = observe.New(recorder, "crontab")
		start := f.steps.start
		f.steps.start = func(b *binary) error {
			f.child = controller{process: &proc.Process{}, sum: b.sum}
			f.observe.Process(b.digest()).Started(1)
			return start(b)
		}
		require.NoError(t, f.run(t, func() {
			f.fail["build"] = errFake
			f.save("main.go", "apis/v1/types.go")
			delete(f.fail, "build")
			f.program++
			f.save("main.go")
		}))
		f.observe.Close()
		require.NoError(t, recorder.Close())
		var saves []string
		for r, err := range recorder.Records(t.Context(), 0) {
			require.NoError(t, err)
			if s, ok := r.Body.(*trace.Save); ok {
				line := fmt.Sprintf("build %d, files %v:", s.Build, s.Files)
				for _, step := range s.Steps {
					line += fmt.Sprintf(" %s %v %s", step.Name, step.OK, step.Message)
				}
				saves = append(saves, line)
				assert.Equal(t, s.Before != s.After, s.Steps[len(s.Steps)-1].Name == "restart", line)
			}
		}
		assert.Equal(t, []string{
			"build 1, files []: generate true  build true  restart true ",
			"build 1, files [apis/v1/types.go main.go]: generate true  build false file.yaml:3: no good",
			"build 2, files [main.go]: generate true  build true  restart true ",
		}, saves)
	})
}
