package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const head = "apiVersion: crdctl.dev/v1alpha1\nkind: Project\n"

func TestParseAppliesDefaults(t *testing.T) {
	p, err := Parse(FileName, []byte(head+"apis: [pkg/apis]\nclients:\n- dir: pkg/client\n"))
	require.NoError(t, err)
	c := p.Clients[0]
	got := []string{c.ClientsetName, c.VersionedName, c.ListersName, c.InformersName, c.ApplyConfigurationName, c.APIs[0]}
	want := "clientset versioned listers informers applyconfiguration pkg/apis"
	if strings.Join(got, " ") != want || !*c.FakeClientset || c.Watch || c.ApplyConfiguration {
		t.Errorf("defaults %v, fake %v, watch %v, applyConfiguration %v; want %s true false false", got, *c.FakeClientset, c.Watch, c.ApplyConfiguration, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"another version": {
			"apiVersion: crdctl.dev/v9\nkind: Project\nfuture: true\n",
			`crdctl.yaml: apiVersion "crdctl.dev/v9" and kind "Project" are not known; this crdctl reads apiVersion: crdctl.dev/v1alpha1, kind: Project`,
		},
		"an empty file": {
			"",
			`crdctl.yaml: apiVersion "" and kind "" are not known; this crdctl reads apiVersion: crdctl.dev/v1alpha1, kind: Project`,
		},
		"unknown fields, each where it is": {
			head + "apis: [pkg/apis]\nclients:\n  - dir: pkg/client\n    wacth: true\ncrd: {dir: x}\nother: 1\n",
			"crdctl.yaml:6:5: unknown field \"wacth\"; did you mean \"watch\"?\n" +
				"crdctl.yaml:7:1: unknown field \"crd\"; did you mean \"crds\"?\n" +
				"crdctl.yaml:8:1: unknown field \"other\"; see docs/settings.md of crdctl for the fields there are",
		},
		"what is not YAML": {
			"apiVersion: [\n",
			"crdctl.yaml:1:1: did not find expected node content",
		},
		"a wrong type": {
			head + "apis: {a: b}\n",
			"crdctl.yaml:3:1: must be a list, got a map; see docs/settings.md of crdctl",
		},
		"two documents": {
			head + "apis: [a]\n---\n" + head,
			"crdctl.yaml: more than one YAML document; a project has one",
		},
		"all that is wrong at once": {
			head + "boilerplate: /etc/passwd\nclients:\n- {dir: ../out, listersName: ../b, pluralExceptions: {Foo: 'b a r'}, apis: [other]}\n- {dir: ''}\n",
			"crdctl.yaml: apis: is empty; name the folders of the API packages, for example apis: [pkg/apis]\n" +
				"crdctl.yaml:3:14: boilerplate: \"/etc/passwd\" must be a path below the folder of crdctl.yaml, with forward slashes\n" +
				"crdctl.yaml:5:9: clients[0].dir: \"../out\" must be a path below the folder of crdctl.yaml, with forward slashes\n" +
				"crdctl.yaml:5:30: clients[0].listersName: \"../b\" must be the name of a folder in the tree\n" +
				"crdctl.yaml:5:54: clients[0].pluralExceptions: \"Foo\": \"b a r\" must be two Go identifiers, for example Endpoints: Endpoints\n" +
				"crdctl.yaml:5:77: clients[0].apis[0]: \"other\" is not among apis\n" +
				"crdctl.yaml:6:9: clients[1].dir: is empty; name the folder of the client tree, for example dir: pkg/client",
		},
		"types, without Go's names, and each problem of an alias once": {
			head + "exclude: &a [{a: b}, {a: b}]\napis: *a\nboilerplate: *a\ncrds: [1]\nloop: {timeout: soon, workers: many}\nclients: 3\nexcludeFrom: []\n",
			"crdctl.yaml:3:1: must be a string, got a map; see docs/settings.md of crdctl\n" +
				"crdctl.yaml:3:1: must be a string, got a list; see docs/settings.md of crdctl\n" +
				"crdctl.yaml:6:1: must be a map, got a list; see docs/settings.md of crdctl\n" +
				"crdctl.yaml:7:1: must be a duration such as 10s, got soon; see docs/settings.md of crdctl\n" +
				"crdctl.yaml:7:1: must be a number, got many; see docs/settings.md of crdctl\n" +
				"crdctl.yaml:8:1: must be a list, got 3; see docs/settings.md of crdctl\n" +
				"crdctl.yaml:9:1: must be a map, got a list; see docs/settings.md of crdctl",
		},
		"names of packages, and control characters": {
			head + "apis: [a]\ncrds:\n  dir: \"a\\0b\"\nclients:\n  - dir: c\n    versionedName: .\n    applyConfigurationName: x/a-b\n",
			"crdctl.yaml:5:8: crds.dir: \"a\\x00b\" has a control character; take it out\n" +
				"crdctl.yaml:8:20: clients[0].versionedName: \".\" must be the name of a Go package, for example versioned\n" +
				"crdctl.yaml:9:29: clients[0].applyConfigurationName: \"x/a-b\" must end in the name of a Go package, for example applyconfiguration",
		},
		"a field behind an alias": {
			head + "apis: &a [x, ../x]\nclients: [{dir: c}]\nexclude: *a\n",
			"crdctl.yaml:3:14: apis[1]: \"../x\" must be a path below the folder of crdctl.yaml, with forward slashes\n" +
				"crdctl.yaml:3:14: exclude[1]: \"../x\" must be a path below the folder of crdctl.yaml, with forward slashes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(FileName, []byte(test.in))
			require.Error(t, err, "no error; parsed %+v", p)
			assert.Equal(t, test.want, err.Error(), "error:\n%s\nwant", err)
		})
	}
}

// What flags say wrong is not blamed on a line of the file.
func TestErrorsOfEditsHaveNoPlace(t *testing.T) {
	_, err := Parse(FileName, []byte(head+"apis: [../a]\ncrds: {dir: b}\n"), func(p *Project) { p.CRDs.Dir = "/b" })
	want := "crdctl.yaml: crds.dir: \"/b\" must be a path below the folder of crdctl.yaml, with forward slashes\n" +
		"crdctl.yaml:3:8: apis[0]: \"../a\" must be a path below the folder of crdctl.yaml, with forward slashes"
	assert.EqualError(t, err, want)
}

func TestFindLooksUpwards(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "pkg", "apis")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, FileName), []byte(head), 0o644))
	if got, err := Find(deep); err != nil || got != root {
		t.Errorf("Find: %q, %v; want %q", got, err, root)
	}
	if _, err := Find(t.TempDir()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `make a project with "crdctl init"`) {
		t.Errorf("outside a project: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "apis: [pkg/apis]\nclients: [{dir: a, watch: true}]\ncrds: {dir: b}\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("? {a: b}\n: c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(FileName, data)
		assert.NotEqual(t, err == nil, p == nil, "project %v and error %v", p, err)
		if err != nil && !strings.HasPrefix(err.Error(), FileName+":") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}
