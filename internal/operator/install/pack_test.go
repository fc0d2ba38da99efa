// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func packed(t *testing.T, root string, loop config.Loop) *Set {
	t.Helper()
	o := options(loop, definition("Foo", "foos", apiextv1.NamespaceScoped, true))
	o.Root = root
	return made(t, o)
}

func podArgs(t *testing.T, set *Set) []string {
	t.Helper()
	return find[*appsv1.Deployment](t, set, "cron-system/cron").Spec.Template.Spec.Containers[0].Args
}

// Scripts go with the controller, each once and under a name of its own; what is no script has to be in the image.
func TestHooksAreTakenAlong(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"sync.py": "one", "a/sync.py": "two", "a/my data.json": "{}", "bin/hook": "\x7fELF\x00"})
	set := packed(t, root, config.Loop{Hook: "python3 -u a/sync.py 'a/my data.json' $", FinalizeHook: "./sync.py", CustomizeHook: "./bin/hook"})
	want := map[string]string{"sync.py": "two", "my_data.json": "{}", "sync.py_": "one"}
	assert.Equal(t, want, find[*corev1.ConfigMap](t, set, "cron-system/cron-hook").Data, "files")
	args := podArgs(t, set)
	for _, arg := range []string{
		"--hook=python3 -u /etc/crdctl/hook/sync.py /etc/crdctl/hook/my_data.json '$'", "--finalize-hook=/etc/crdctl/hook/sync.py_", "--customize-hook=./bin/hook",
	} {
		assert.Contains(t, args, arg)
	}
	for _, note := range []string{
		"python3 is expected in the image", "a/sync.py goes into the ConfigMap; files that it imports or reads do not",
		"./bin/hook is not text and is expected in the image's working directory; its absolute path there is safer",
	} {
		assert.Contains(t, set.Notes, note)
	}
}

// A script that is run as a program needs the one that its first line names.
func TestInterpreter(t *testing.T) {
	for script, want := range map[string]string{
		"#!/usr/bin/env python3\nimport json\n": "python3", "#!/usr/bin/env -S LANG=C node --flag\n": "node", "#! /bin/sh -e\n": "/bin/sh",
		"#!/usr/bin/env": "/usr/bin/env", "#!\n": "", "import json\n": "", "": "",
	} {
		assert.Equal(t, want, interpreter(script), script)
	}
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"sync.py": "#!/usr/bin/env python3\n"})
	assert.Contains(t, packed(t, root, config.Loop{Hook: "./sync.py"}).Notes, "python3 is expected in the image")
	assert.NotContains(t, strings.Join(packed(t, root, config.Loop{Hook: "/bin/sh sync.py"}).Notes, "\n"), "python3")
}

// YAML has characters that it folds or refuses where JSON takes them as they are.
func TestCharactersOfFiles(t *testing.T) {
	root, text := t.TempDir(), "a\tb\x7f \u0080\u0085\u009f\u00a0 \u2028\u2029 \ufeff\ufffd\ufffe\uffff \U0001f600 \\u0085 \"'<&>\r\n---\nend"
	safefstest.WriteFiles(t, root, map[string]string{"sync.sh": text})
	set := packed(t, root, config.Loop{Hook: "sh sync.sh"})
	assert.Equal(t, text, find[*corev1.ConfigMap](t, set, "cron-system/cron-hook").Data["sync.sh"])
}

// Variables in arguments are the kubelet's to put in, unless they are written so that it does not.
func TestArgumentsAreNotExpanded(t *testing.T) {
	set := packed(t, t.TempDir(), config.Loop{Hook: `sh -c 'echo $(date) $HOME'`})
	assert.True(t, slices.ContainsFunc(podArgs(t, set), func(a string) bool { return strings.Contains(a, "echo $$(date) $HOME") }))
}

func TestTemplatesAreTakenAlong(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"t/a.yaml": "a", "t/_b.tmpl": "b", "t/_c.tpl": "c", "t/d.tpl": "no", "t/README.md": "no", "t/more/c.yaml": "no"})
	set := packed(t, root, config.Loop{Template: "t"})
	assert.Equal(t, map[string]string{"a.yaml": "a", "_b.tmpl": "b", "_c.tpl": "c"}, find[*corev1.ConfigMap](t, set, "cron-system/cron-template").Data, "files")
	assert.Contains(t, podArgs(t, set), "--template=/etc/crdctl/template")
	before := find[*appsv1.Deployment](t, set, "cron-system/cron").Spec.Template.Annotations["crdctl.dev/config"]
	safefstest.WriteFiles(t, root, map[string]string{"t/a.yaml": "other"})
	after := find[*appsv1.Deployment](t, packed(t, root, config.Loop{Template: "t"}), "cron-system/cron").Spec.Template.Annotations["crdctl.dev/config"]
	assert.NotEmpty(t, before, "the pods stay as they are when a template changes")
	assert.NotEqual(t, after, before, "the pods stay as they are when a template changes")
}

func TestPackRefuses(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"large.py": strings.Repeat("x", maxConfigMap), "empty/x.md": "", "odd/a b.yaml": "", "bad/a.yaml": "\xff", "broken/a.yaml": "a: {{ if }}", "blocks/_a.tpl": "", "run.sh": ""})
	require.NoError(t, os.Mkdir(filepath.Join(root, "folder"), 0o755))
	for _, test := range []struct {
		loop config.Loop
		want string
	}{
		{config.Loop{Hook: "./large.py"}, "the files of the hook are 900 KiB, but a ConfigMap holds at most 900; put them into the image and name their absolute paths there"},
		{config.Loop{Hook: "./folder"}, "hook: ./folder is not a file"},
		{config.Loop{Template: "empty"}, "template: empty has no *.yaml, *.yml or *.tmpl; name the directory of the templates"},
		{config.Loop{Template: "odd"}, "template: a b.yaml: a name in a ConfigMap may have only letters"},
		{config.Loop{Template: "bad"}, "template: a.yaml: is not text; remove or fix it"},
		{config.Loop{Template: "broken"}, "template: broken: a.yaml:1: missing value for if; fix the template"},
		{config.Loop{Template: "blocks"}, "template: blocks: no templates found; "},
		{config.Loop{Hook: "python3 missing.py"}, "hook: missing.py is not in ROOT; correct the path, or name what is in the image by its absolute path"},
		{config.Loop{Hook: "python3 -u hooks/missing"}, "hook: hooks/missing is not in "},
		{config.Loop{Hook: "./run.sh x", FinalizeHook: "./run.sh --file ../missing"}, "finalizeHook: ../missing is not in "},
	} {
		o := options(test.loop, definition("Foo", "foos", apiextv1.NamespaceScoped, true))
		o.Root = root
		if _, err := New(o); err == nil || !strings.HasPrefix(filepath.ToSlash(strings.ReplaceAll(err.Error(), root, "ROOT")), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// A file that only its owner should see must not get into a ConfigMap because a link or a path leads to it.
func TestPackRefusesWhatIsOutside(t *testing.T) {
	parent := t.TempDir()
	root := filepath.Join(parent, "project")
	safefstest.WriteFiles(t, parent, map[string]string{"outside.key": "secret", "templates/a.yaml": "a: 1"})
	safefstest.WriteFiles(t, root, map[string]string{"run.sh": "", "inside/sync.sh": "x", "t/a.yaml": "a: 1"})
	for link, to := range map[string]string{
		"link.sh": "../outside.key", "absolute.sh": filepath.Join(parent, "outside.key"), "t/_k.tpl": "../../outside.key", "out": "../templates", "dir": "..",
		"ok.sh": "inside/sync.sh",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(root, filepath.FromSlash(link))))
	}
	for _, loop := range []config.Loop{
		{Hook: "sh ../outside.key"}, {Hook: "../outside.key"}, {Hook: "./link.sh"}, {Hook: "sh absolute.sh"}, {Hook: "./run.sh", FinalizeHook: "./run.sh link.sh"},
		{Hook: "./run.sh x dir/outside.key"}, {Template: "t"}, {Template: "out"}, {Template: "../templates"},
	} {
		o := options(loop, definition("Foo", "foos", apiextv1.NamespaceScoped, true))
		o.Root = root
		_, err := New(o)
		assert.ErrorIs(t, err, errOutside, "%+v", loop)
	}
	set := packed(t, root, config.Loop{Hook: "./ok.sh"}) // a link that stays inside
	assert.Equal(t, map[string]string{"ok.sh": "x"}, find[*corev1.ConfigMap](t, set, "cron-system/cron-hook").Data, "files")
}

// Not every word with a slash is a file.
func TestWordsThatNameNoFile(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"run.sh": ""})
	for _, hook := range []string{
		"./run.sh x apps/v1", "./run.sh --kind apps/v1", "/bin/x --out=a/b http://a/b.py", "sh -c 'cat a/b.sh'", "perl -e s/a/b/", "/bin/x /opt/missing.py", "x serve",
	} {
		packed(t, root, config.Loop{Hook: hook})
	}
}

// Settings that are not the defaults reach the pods.
func TestArgs(t *testing.T) {
	set := packed(t, t.TempDir(), config.Loop{
		Hook: "/bin/hook --x", Persistent: true, Timeout: time.Second, MaxAnswerBytes: 5, Parallel: 3, Owns: []string{"v1/Pod"}, CustomizeHook: "http://a/", Related: []string{"v1/Node"},
		Workers: 4, Resync: new(2 * time.Second), Namespaces: []string{"a", "b"}, Selector: "app=x", Shards: 2, ShardBy: "namespace",
		QPS: -1, Burst: 7,
	})
	want := "run --builtin --in-cluster --crd=foos.example.com --lease-namespace=cron-system --metrics=:8080 " +
		"--hook=/bin/hook --x --customize-hook=http://a/ --name=cron --hook-persistent --hook-timeout=1s --hook-max-bytes=5 --hook-parallel=3 --owns=v1/Pod --related=v1/Node " +
		"--workers=4 --resync=2s --kube-api-qps=-1 --kube-api-burst=7 --namespace=a --namespace=b --selector=app=x --shards=2 --shard-by=namespace"
	assert.Equal(t, want, strings.Join(podArgs(t, set), " "))
}

// What no ConfigMap can take is not read into memory.
func TestPackReadsNoMoreThanFits(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"t/a.yaml": "", "run.sh": "", "huge.sh": strings.Repeat("ü", maxConfigMap), "blob": ""})
	for _, sparse := range []string{"t/a.yaml", "blob"} {
		require.NoError(t, os.Truncate(filepath.Join(root, sparse), 1<<30))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, test := range []struct {
		loop config.Loop
		want error
	}{
		{config.Loop{Template: "t"}, errBinary},
		{config.Loop{Hook: "sh ./huge.sh"}, safefs.ErrTooBig},
		{config.Loop{Hook: "./blob"}, nil}, // which is a program in the image
	} {
		o := options(test.loop, definition("Foo", "foos", apiextv1.NamespaceScoped, true))
		o.Root = root
		_, err := New(o)
		assert.ErrorIs(t, err, test.want, "%+v", test.loop)
	}
	runtime.ReadMemStats(&after)
	assert.LessOrEqual(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(256))
}
