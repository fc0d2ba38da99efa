// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"reflect"
	"slices"
	"time"
)

// Loop has the settings of the control loop that crdctl has built in: "crdctl run --builtin" and "crdctl manifests".
type Loop struct {
	Name           string         `yaml:"name,omitempty"`
	Hook           string         `yaml:"hook,omitempty"`
	FinalizeHook   string         `yaml:"finalizeHook,omitempty"`
	CustomizeHook  string         `yaml:"customizeHook,omitempty"`
	Persistent     bool           `yaml:"persistent,omitempty"`
	Timeout        time.Duration  `yaml:"timeout,omitempty"`
	MaxAnswerBytes int64          `yaml:"maxAnswerBytes,omitempty"`
	Parallel       int            `yaml:"parallel,omitempty"`
	Template       string         `yaml:"template,omitempty"`
	Owns           []string       `yaml:"owns,omitempty"`
	Related        []string       `yaml:"related,omitempty"`
	Workers        int            `yaml:"workers,omitempty"`
	Resync         *time.Duration `yaml:"resync,omitempty"`
	RetryFirst     time.Duration  `yaml:"retryFirst,omitempty"`
	RetryLast      time.Duration  `yaml:"retryLast,omitempty"`
	WatchList      bool           `yaml:"watchList,omitempty"`
	QPS            int            `yaml:"kubeAPIQPS,omitempty"`
	Burst          int            `yaml:"kubeAPIBurst,omitempty"`
	Namespaces     []string       `yaml:"namespaces,omitempty"`
	Selector       string         `yaml:"selector,omitempty"`
	Shards         int            `yaml:"shards,omitempty"`
	ShardBy        string         `yaml:"shardBy,omitempty"`
	LeaseDuration  time.Duration  `yaml:"leaseDuration,omitempty"`
}

// The values of ShardBy.
const (
	ShardByKey       = "key"
	ShardByNamespace = "namespace"
)

// The defaults that others need too; all are in loopSettings. That of Parallel depends on the machine, and is the hook's to know.
const (
	DefaultLoopQPS   = 50
	DefaultLoopBurst = 100
	defaultRetryLast = 30 * time.Second
	defaultResync    = 30 * time.Second
)

// IsSet reports whether any setting of the loop is given: such a project needs no Go API.
func (l *Loop) IsSet() bool { return !reflect.ValueOf(*l).IsZero() }

// Decides reports whether something decides on children: without it the loop only says what it sees.
func (l *Loop) Decides() bool { return l.Hook != "" || l.Template != "" }

// WithDefaults fills in what is left out. It is not done while the file is read: "crdctl adopt" writes down what it has
// found, and would write defaults too. Name is the default of the name.
func (l Loop) WithDefaults(name string) Loop {
	p := Project{Loop: l}
	p.Loop.Name = cmp.Or(l.Name, name)
	p.Loop.RetryLast = cmp.Or(l.RetryLast, max(defaultRetryLast, l.RetryFirst))
	for _, s := range loopSettings {
		s.fill(&p)
	}
	if l.Resync == nil {
		every := defaultResync
		if l.Decides() {
			every = 0 // what it depends on is watched; to ask about all objects again costs a start of a program for each
		}
		p.Loop.Resync = &every
	}
	return p.Loop
}

// Args returns the flags of "crdctl run --builtin" for settings with defaults. Defaults are left out: they follow those of the
// crdctl that runs. So are hooks and templates, whose paths are others where that is.
func (l Loop) Args() (args []string) {
	is := Project{Loop: l}
	usual := Project{Loop: Loop{Hook: l.Hook, Template: l.Template}.WithDefaults("")}
	for _, s := range loopSettings {
		if given := s.Args(&is); s.Format == Plain && !slices.Equal(given, s.Args(&usual)) {
			args = append(args, given...)
		}
	}
	return args
}
