// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/operator/composite"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/metrics"
	"github.com/crdctl/crdctl/internal/operator/render/subprocess"
)

// decider opens the hook or the templates of the settings.
func (c *instance) decider() (hook.Decider, error) {
	if c.Loop.Template != "" {
		templates, err := subprocess.Open(c.path(c.Loop.Template), subprocess.Options{
			Timeout: c.Loop.Timeout, MaxOutput: int(c.Loop.MaxAnswerBytes), OneObject: c.patience > 0, Log: c.Log,
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--template %s (loop.template): %w; name a directory of templates", c.Loop.Template, fs.ErrNotExist)
		}
		if err != nil {
			return nil, err
		}
		return &measured{Decider: templates, metrics: c.metrics}, nil
	}
	o := hook.Options{
		Persistent: c.Loop.Persistent, Timeout: c.Loop.Timeout, MaxAnswer: c.Loop.MaxAnswerBytes, MaxParallel: c.Loop.Parallel,
		Dir: c.Root, Mark: c.Mark, Log: c.Log,
	}
	for target, text := range map[*hook.Target]string{&o.Sync: c.Loop.Hook, &o.Finalize: c.Loop.FinalizeHook, &o.Customize: c.Loop.CustomizeHook} {
		if text == "" {
			continue
		}
		command, err := config.ParseCommand(text)
		if err != nil {
			return nil, err
		}
		*target = hook.Target{URL: command.URL, Args: command.Words}
	}
	hooks, err := hook.Open(o)
	if err != nil {
		return nil, err
	}
	return &measured{Decider: hooks, metrics: c.metrics}, nil
}

// readsChildren reports whether a decider looks into children: a hook may, and templates are known.
func readsChildren(d hook.Decider) bool {
	if m, ok := d.(*measured); ok {
		d = m.Decider
	}
	templates, ok := d.(*subprocess.Templates)
	return !ok || templates.ReadsChildren()
}

// measured counts the calls of a decider.
type measured struct {
	hook.Decider
	metrics *metrics.Metrics
}

func (m *measured) Call(ctx context.Context, call hook.Call) ([]byte, error) {
	began := time.Now()
	answer, err := m.Decider.Call(ctx, call)
	result := "success"
	if err != nil {
		result = "error"
	}
	m.metrics.HookCalled(string(call.Op), result, time.Since(began))
	return answer, err
}

// compositeOptions are those of the reconcilers that ask the decider.
func (c *instance) compositeOptions(ctx context.Context, decider hook.Decider) (composite.Options, error) {
	children, err := c.served(ctx, c.Loop.Owns)
	templates := ""
	if c.Loop.Template != "" {
		templates = c.path(c.Loop.Template)
	}
	return composite.Options{
		Name: c.Loop.Name, Children: children, Decider: decider, Templates: templates, ReadsChildren: readsChildren(decider), Served: c.catalogue,
		Epoch: c.epoch.Load, Wrote: c.metrics.ChildWritten, Log: c.Log,
	}, err
}

// Check reports what of the options cannot work with any API server of this version, so that none is started in vain.
func Check(o Options) error {
	c := &instance{Options: o}
	if len(o.CRDs)+len(o.CRDNames) == 0 {
		return errNoCRD
	}
	if !o.Loop.Decides() {
		return nil
	}
	if o.Own {
		if err := knownKinds(o.Loop.Owns); err != nil {
			return err
		}
	}
	decider, err := c.decider()
	if err != nil {
		return err
	}
	decider.Close()
	return nil
}
