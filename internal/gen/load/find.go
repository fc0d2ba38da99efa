package load

// WithTags is the same environment with other build tags.
func (e *Env) WithTags(tags ...string) *Env {
	other := *e
	other.build.BuildTags = tags
	return &other
}

// Place is where a package is.
type Place struct {
	Dir string
	Std bool
	// GoVersion is the go line of its module, such as 1.26; empty if unknown.
	GoVersion string
}

// Find returns the directory of a package that another one imports. fromStd says that the importer is part of Go itself, which
// has a vendor directory of its own.
func (e *Env) Find(path string, fromStd bool) (Place, error) {
	dir, mod, std, err := e.find(path, fromStd)
	place := Place{Dir: dir, Std: std}
	if mod != nil {
		place.GoVersion = mod.GoVersion
	}
	return place, err
}

// Files calls each with the files of a directory that belong to the build, in the order of their names.
func (e *Env) Files(dir string, each func(name string, src []byte) error) error {
	return e.goFiles(dir, each)
}

// Match reports whether a file of a directory with this content belongs to the build.
func (e *Env) Match(dir, name string, src []byte) (bool, error) { return e.matches(dir, name, src) }
