package config

import (
	"cmp"
	"reflect"
	"slices"
	"time"
)

// Loop has the settings of the control loop that crdctl has built in: "crdctl run --builtin" and "crdctl manifests".
type Loop struct {
	// Name is the controller's: of its field manager, its finalizer and its leases. The default is the last element of the
	// module's path, or the name of the project's folder.
	Name string `yaml:"name,omitempty"`

	// Hook is what decides the children of an object: a program with its arguments, split as a shell splits words, or a
	// URL. The program's path is relative to the project. FinalizeHook decides when the object is being deleted, and
	// CustomizeHook which other objects the hooks are shown.
	Hook          string `yaml:"hook,omitempty"`
	FinalizeHook  string `yaml:"finalizeHook,omitempty"`
	CustomizeHook string `yaml:"customizeHook,omitempty"`
	// Persistent keeps the hook's program running and sends it lines of JSON. The default is one start for each call.
	Persistent bool `yaml:"persistent,omitempty"`
	// Timeout bounds one call of a hook, and one rendering of templates. The default is 10s.
	Timeout time.Duration `yaml:"timeout,omitempty"`
	// MaxAnswerBytes bounds the answer of one call, and what one rendering gives. The default is 8 MiB.
	MaxAnswerBytes int64 `yaml:"maxAnswerBytes,omitempty"`
	// Parallel bounds how many programs run at the same time, where one is started for each call: a persistent one and a URL
	// get all calls at once. The default is four for each processor.
	Parallel int `yaml:"parallel,omitempty"`
	// Template is a folder of Go templates that render the children, in the place of a hook.
	Template string `yaml:"template,omitempty"`

	// Owns are the kinds of the children, and Related those that the customize hook may ask for: see ParseObjectKind.
	Owns    []string `yaml:"owns,omitempty"`
	Related []string `yaml:"related,omitempty"`

	// Workers is how many objects of a kind are worked on at the same time. The default is 2.
	Workers int `yaml:"workers,omitempty"`
	// Resync is how often the hook or the templates are asked about every object again, 0 for never, which is their default.
	// Without them it does nothing, and the default is 30s.
	Resync *time.Duration `yaml:"resync,omitempty"`
	// RetryFirst is how long an object that failed waits for its next try; each failure doubles that, up to RetryLast. The
	// defaults are 5ms and 30s.
	RetryFirst time.Duration `yaml:"retryFirst,omitempty"`
	RetryLast  time.Duration `yaml:"retryLast,omitempty"`
	// WatchList has the API server stream the first list, which spares its memory and costs processor time on both sides.
	WatchList bool `yaml:"watchList,omitempty"`
	// QPS and Burst limit the requests to a cluster that is not crdctl's own: how many a second on average, -1 for no limit, and how
	// many at once. The defaults are 50 and 100.
	QPS   int `yaml:"kubeAPIQPS,omitempty"`
	Burst int `yaml:"kubeAPIBurst,omitempty"`
	// Namespaces restrict the loop to what is in them, and Selector to objects with these labels.
	Namespaces []string `yaml:"namespaces,omitempty"`
	Selector   string   `yaml:"selector,omitempty"`

	// Shards is into how many parts replicas divide the objects. The default is 1: one replica works, the others stand by.
	Shards int `yaml:"shards,omitempty"`
	// ShardBy is key or namespace: what decides on an object's part. The default is key.
	ShardBy string `yaml:"shardBy,omitempty"`
	// LeaseDuration is how long replicas wait for one that is silent before they take its part. The default is 15s.
	LeaseDuration time.Duration `yaml:"leaseDuration,omitempty"`
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

// IsSet tells whether anything is said of the loop: such a project needs no Go API.
func (l *Loop) IsSet() bool { return !reflect.ValueOf(*l).IsZero() }

// Decides tells whether something decides on children: without it the loop only says what it sees.
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
