package codegen

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"k8s.io/code-generator/cmd/client-gen/args"
	"k8s.io/code-generator/cmd/client-gen/generators"
	"k8s.io/code-generator/cmd/client-gen/types"
	"k8s.io/code-generator/pkg/util"
	"k8s.io/gengo/v2/generator"
)

// VersionFolder is how the folder of a group version is named; kube_codegen.sh makes clients for no others.
var VersionFolder = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// ClientTree is where and how the client code of some API packages is generated. Names are those of folders.
type ClientTree struct {
	Dir     string // absolute
	Package string // the import path of Dir
	// APIs are the import paths of the API packages, each ending in group folder and version, in the order that the
	// clientset is to have them.
	APIs []string

	ClientsetName, VersionedName, ListersName, InformersName string
	// ApplyConfigurationName is empty where the tree has no apply configurations.
	ApplyConfigurationName string
	// Externals maps types to the packages of their apply configurations, in the form of upstream's flag.
	Externals        []string
	PluralExceptions []string // Kind:Plural
	PrefersProtobuf  bool
	Fake             bool
	LintRules        []string
}

func (t ClientTree) dir(name string) string { return filepath.Join(t.Dir, filepath.FromSlash(name)) }
func (t ClientTree) pkg(name string) string { return path.Join(t.Package, name) }

func (t ClientTree) applyConfigurationPackage() string {
	if t.ApplyConfigurationName == "" {
		return ""
	}
	return t.pkg(t.ApplyConfigurationName)
}

func (t ClientTree) sortedAPIs() []string {
	sorted := slices.Clone(t.APIs)
	slices.Sort(sorted)
	return sorted
}

// Clientset is client-gen for the tree.
func Clientset(t ClientTree) (Generator, error) {
	a := args.New()
	a.OutputDir, a.OutputPkg = t.dir(t.ClientsetName), t.pkg(t.ClientsetName)
	a.ClientsetName = t.VersionedName
	a.ApplyConfigurationPackage = t.applyConfigurationPackage()
	a.PluralExceptions = t.PluralExceptions
	a.PrefersProtobuf = t.PrefersProtobuf
	a.FakeClient = t.Fake
	a.LintRules = t.LintRules
	groups, err := groupVersions(t.APIs)
	if err != nil {
		return Generator{}, err
	}
	a.Groups = groups
	if err := a.Validate(); err != nil {
		return Generator{}, err
	}
	return Generator{
		Name:          "client-gen",
		Inputs:        t.sortedAPIs(),
		nameSystems:   generators.NameSystems(util.PluralExceptionListToMapOrDie(t.PluralExceptions)),
		defaultSystem: generators.DefaultNameSystem(),
		targets:       func(c *generator.Context) []generator.Target { return generators.GetTargets(c, a) },
	}, nil
}

// groupVersions lets upstream's own flag read the packages, one group folder and version at a time, and then puts
// each import path in the place of the one that the flag made up from them.
func groupVersions(apis []string) ([]types.GroupVersions, error) {
	var groups []types.GroupVersions
	flag := args.NewGVPackagesValue(args.NewGroupVersionsBuilder(&groups), nil)
	paths := map[string]string{} // by what the flag makes of them
	for _, api := range apis {
		gv := path.Join(path.Base(path.Dir(api)), path.Base(api))
		paths[gv] = api
		if err := flag.Set(gv); err != nil {
			return nil, err
		}
	}
	for i := range groups {
		for j, v := range groups[i].Versions {
			groups[i].Versions[j].Package = paths[v.Package]
		}
	}
	return groups, nil
}
