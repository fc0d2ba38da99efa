// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// What one object can make templates do, when each of these stands in a template that is harmless for other objects.
var evil = map[string]struct {
	text string
	want Bound
}{
	"range":    {`{{ range $i := 1000000000000 }}{{ end }}`, Time},
	"nested":   {`{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}`, Time},
	"include":  {`{{ include "i" . }}`, Stack},
	"cycle":    {`{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ $d }}`, Stack},
	"double":   {`{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = printf "%s%s" $s $s }}{{ end }}`, Memory},
	"concat":   {`{{ $l := list 1 2 }}{{ range until 60 }}{{ $l = concat $l $l }}{{ end }}`, ""}, // which bound is a matter of the machine
	"until":    {`{{ len (until 100000000000) }}`, Memory},
	"replace":  {`{{ $a := repeat 600000 "," }}{{ $b := repeat 600000 "y" }}{{ $a | replace "," $b | trunc 100 }}`, Memory},
	"repeat":   {`{{ repeat 1000000000000 "x" | trunc 1 }}`, Memory},
	"indent":   {`{{ indent 1000000000000 "x" | trunc 1 }}`, Memory},
	"regex":    {`{{ $a := repeat 600000 "," }}{{ regexReplaceAll "," $a (repeat 600000 "y") | trunc 100 }}`, Memory},
	"output":   {`{{ range until 10000 }}{{ repeat 10000 "x" }}{{ end }}`, Output},
	"template": {`{{ template "t" . }}`, Stack},
	"deepCopy": {`{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ deepCopy $d }}`, ""},
}

// Each is an error of the object alone, that names the bound, and other objects go on.
func TestBounds(t *testing.T) {
	for name, e := range evil {
		t.Run(name, func(t *testing.T) {
			timeout := 500 * time.Millisecond
			if e.want != Time && e.want != "" {
				timeout = patience
			}
			d := open(t, Options{Timeout: timeout, OneObject: true}, "a.yaml", "v: {{ if .parent.spec.evil }}"+e.text+"{{ end }}1\n",
				"_define.tpl", `{{ define "i" }}{{ include "i" . }}{{ end }}{{ define "t" }}{{ range until 2 }}{{ template "t" $ }}{{ end }}{{ end }}`)
			_, err := answerTo(t, d, object("evil", `{"evil":true}`))
			var exceeded *BoundError
			switch {
			case !errors.As(err, &exceeded):
				t.Errorf("error %v", err)
			case e.want != "" && exceeded.Bound != e.want:
				t.Errorf("exceeds %s, not %s", exceeded.Bound, e.want)
			case !strings.Contains(err.Error(), string(exceeded.Bound)+" limit of ") || !strings.HasPrefix(err.Error(), d.dir+": "):
				t.Errorf("error %v", err)
			}
			expectAnswer(t, d, object("good", `{}`), `{"children":[{"v":1}]}`)
		})
	}
}

// Objects whose renderings do not end take half a second of a worker each, and then only one of them has a worker at any time.
func TestOthersAreNotHeldUp(t *testing.T) {
	d := open(t, Options{Timeout: 2 * time.Second}, "a.yaml", "v: {{ range $i := .parent.spec.count }}{{ end }}1\n")
	const forever = `{"count":1000000000000}`
	later := func(err error) bool {
		var l *hook.RetryAfterError
		return errors.As(err, &l)
	}
	for _, name := range []string{"evil", "worse"} {
		_, err := answerTo(t, d, object(name, forever))
		require.True(t, later(err), "%s: error %v, though there is a slow lane", name, err)
	}
	var busy sync.WaitGroup
	busy.Go(func() {
		_, err := answerTo(t, d, object("evil", forever))
		if exceeded := (*BoundError)(nil); !errors.As(err, &exceeded) || exceeded.Bound != Time || later(err) {
			t.Errorf("error %v", err)
		}
	})
	for end := time.Now().Add(patience); len(d.lanes.slow) == 0; time.Sleep(time.Millisecond) {
		require.False(t, time.Now().After(end), "nothing is in the slow lane")
	}
	// While one is in the slow lane, another is put off and keeps no worker, and a usual object is rendered.
	if _, err := answerTo(t, d, object("worse", forever)); !later(err) {
		t.Errorf("error %v", err)
	}
	expectAnswer(t, d, object("good", `{"count":2}`), `{"children":[{"v":1}]}`)
	// One that was fixed is not in the slow lane any more.
	expectAnswer(t, d, object("worse", `{"count":2}`), `{"children":[{"v":1}]}`)
	assert.Len(t, d.lanes.slow, 1, "the usual objects waited for the other")
	busy.Wait()
	// The same request waits longer than it took; another one of the object is rendered, and ends the matter.
	_, err := answerTo(t, d, object("evil", forever))
	var l *hook.RetryAfterError
	if exceeded := (*BoundError)(nil); !errors.As(err, &l) || l.After < 2*time.Second || !errors.As(err, &exceeded) {
		t.Errorf("error %v", err)
	}
	expectAnswer(t, d, object("evil", `{"count":2}`), `{"children":[{"v":1}]}`)
	assert.Zero(t, len(d.lanes.known), "objects are remembered")
}

func TestPauseGrows(t *testing.T) {
	last := time.Duration(0)
	for times := 1; times < 20; times++ {
		p := pause(times, 10*time.Second)
		if p < last || p > longestPause || p < 20*time.Second {
			t.Errorf("%d: %s after %s", times, p, last)
		}
		last = p
	}
	assert.Equal(t, longestPause, last, "at last")
}

// A rendering that takes long, and ends in time, is no error.
func TestSlowRendering(t *testing.T) {
	d := open(t, Options{Timeout: patience}, "a.yaml", "v: {{ range $i := .parent.spec.count }}{{ end }}1\n")
	c := object("slow", `{"count":20000000}`)
	_, err := answerTo(t, d, c)
	if _, ok := errors.AsType[*hook.RetryAfterError](err); ok {
		_, err = answerTo(t, d, c)
	}
	assert.NoError(t, err)
}

// A helper has nothing of the environment, and one that was killed from outside is replaced.
func TestHelperProcess(t *testing.T) {
	t.Setenv("SECRET", "hunter2")
	d := open(t, Options{}, "a.yaml", "v: 1")
	usual := func() *process {
		t.Helper()
		expectAnswer(t, d, object("good", `{}`), `{"children":[{"v":1}]}`)
		require.Len(t, d.pool.idle, 1, "idle helpers")
		return d.pool.idle[0]
	}
	p := usual()
	assert.Same(t, p, usual(), "a helper for each rendering")
	if runtime.GOOS == "linux" {
		file, err := os.Open(filepath.Join(d.dir, "a.yaml"))
		require.NoError(t, err)
		defer func() { _ = file.Close() }()
		p.Kill() // the next one starts while there is an open file
		<-p.Done()
		p = usual()
		env, err := os.ReadFile(filepath.Join("/proc", pid(p), "environ"))
		require.NoError(t, err, "environment %q", env)
		assert.Equal(t, trigger+"=1 GOTRACEBACK=none ", strings.ReplaceAll(string(env), "\x00", " "), "environment %q", env)
		files, err := os.ReadDir(filepath.Join("/proc", pid(p), "fd"))
		require.NoError(t, err)
		for _, f := range files {
			to, _ := os.Readlink(filepath.Join("/proc", pid(p), "fd", f.Name()))
			assert.False(t, strings.HasPrefix(to, "socket:"), "descriptor %s is %s", f.Name(), to)
			assert.False(t, strings.HasPrefix(to, d.dir), "descriptor %s is %s", f.Name(), to)
		}
	}
	p.Kill()
	<-p.Done()
	assert.NotSame(t, p, usual(), "the helper that ended is used")
}

func TestCallsThatEndEarly(t *testing.T) {
	d := open(t, Options{Timeout: patience, OneObject: true}, "a.yaml", "{{ range 1000000000000 }}{{ end }}")
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("long enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	_, err := d.Call(ctx, object("a", `{}`))
	assert.ErrorIs(t, err, cause)
	time.AfterFunc(50*time.Millisecond, d.Close)
	_, err = d.Call(t.Context(), object("a", `{}`))
	assert.ErrorIs(t, err, hook.ErrClosed)
}

func TestWhatIsAsked(t *testing.T) {
	d := open(t, Options{}, "a.yaml", "v: {{ .parent.spec.none }}", "customize.yaml", "[]")
	_, err := answerTo(t, d, object("a", `{}`))
	assert.ErrorContains(t, err, filepath.Join(d.dir, "a.yaml:1:6: .parent.spec.none is absent"))
	expectAnswer(t, d, hook.Call{Op: hook.Customize, Body: []byte(`{}`)}, `{"relatedResources":[]}`)
	_, err = answerTo(t, d, hook.Call{Op: hook.Finalize})
	assert.ErrorContains(t, err, "no template for finalize")
	if !d.Has(hook.Sync) || !d.Has(hook.Customize) || d.Has(hook.Finalize) {
		t.Error("it has not what there are files for")
	}
	_, err = Open(templateDir(t, "a.yaml", "x: {{"), Options{})
	assert.ErrorContains(t, err, "/a.yaml:1: ")
	var calls sync.WaitGroup
	for range 50 { // many at once
		calls.Go(func() {
			expectAnswer(t, d, object("b", `{"none":7}`), `{"children":[{"v":7}]}`)
		})
	}
	calls.Wait()
}

func TestChangedOnDisk(t *testing.T) {
	log := operatortest.NewLog()
	d := open(t, Options{Log: slog.New(log)}, "a.yaml", "v: 1")
	write := func(text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(d.dir, "a.yaml"), []byte(text), 0o600))
	}
	renders := func(want string) {
		t.Helper()
		if got, err := answerTo(t, d, object("demo", `{}`)); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s, error %v, not %s", got, err, want)
		}
	}
	renders(`"v":1`)
	// What does not parse changes nothing, and is reported.
	write("v: {{ broken")
	for end := time.Now().Add(patience); log.Count("Templates changed but are invalid") == 0; time.Sleep(5 * time.Millisecond) {
		require.False(t, time.Now().After(end), "what does not parse is not reported")
	}
	select {
	case <-d.Changed():
		t.Error("what does not parse is a change")
	default:
	}
	renders(`"v":1`)
	write("v: {{ add 1 1 }}")
	select {
	case <-d.Changed():
	case <-time.After(patience):
		t.Fatal("no change")
	}
	renders(`"v":2`)
	assert.Equal(t, 1, len(d.pool.idle), "helpers")
}
