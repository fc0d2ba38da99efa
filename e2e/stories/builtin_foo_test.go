package stories

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// foo is an object of the sample-controller.
func foo(name, namespace, deployment string, replicas int) string {
	return fmt.Sprintf("apiVersion: samplecontroller.k8s.io/v1alpha1\nkind: Foo\nmetadata: {name: %s, namespace: %s}\nspec: {deploymentName: %s, replicas: %d}\n",
		name, namespace, deployment, replicas)
}

// S3 with the built-in controller: what the sample-controller does in Go, the hook and the templates of docs/hooks.md do, as they
// are printed there.
func TestBuiltinFoo(t *testing.T) {
	w := newWorld(t)
	page := w.blocks("../../docs/hooks.md")
	at, _ := w.plane()
	w.establish(at, filepath.Join(w.system("S3"), "config/crd"), "foos.samplecontroller.k8s.io")
	t.Run("with", func(t *testing.T) {
		t.Run("hook", func(t *testing.T) {
			t.Parallel()
			w, dir := w.on(t), t.TempDir()
			w.program(filepath.Join(dir, "sync.py"), page.with("#!/usr/bin/env python3", `json.dump(sync(request)`))
			w.fooStory(at, dir, "hook", "--hook", "./sync.py")
		})
		t.Run("template", func(t *testing.T) {
			t.Parallel()
			w, dir := w.on(t), t.TempDir()
			w.write(filepath.Join(dir, "deployment.yaml"), page.with("apiVersion: apps/v1", "{{ .parent.spec.deploymentName }}"))
			w.write(filepath.Join(dir, "_labels.tpl"), page.with(`{{ define "labels" -}}`))
			w.write(filepath.Join(dir, "status.yaml"), page.with("{{- $deployment := index .children"))
			w.fooStory(at, dir, "template", "--template", ".")
		})
	})
	w.leavesNothing(w.dir)
}

// fooStory is the life of some Foos in a namespace, which has the name of the controller.
func (w *world) fooStory(at, dir, name string, flags ...string) {
	w.Helper()
	kubectl := func(args ...string) string {
		w.Helper()
		return w.kubectl(at, append([]string{"-n", name}, args...)...)
	}
	status := func(object string, replicas int) {
		w.Helper()
		kubectl("wait", fmt.Sprintf("--for=jsonpath={.status.availableReplicas}=%d", replicas), object, "--timeout=60s")
	}
	event := func(selector string) {
		w.Helper()
		w.eventually(name, at, crdctl, "kubectl", "get", "events", "-n", name, "-o", "jsonpath={.items[*].source.component}", "--field-selector", selector)
	}
	w.kubectl(at, "create", "namespace", name)
	run := w.start(dir, crdctl, append([]string{"run", "--builtin", "--kubeconfig", filepath.Join(at, ".crdctl/kubeconfig"), "--crd", "foos.samplecontroller.k8s.io",
		"--name", name, "--namespace", name, "--owns", "apps/v1/Deployment", "--hook-timeout", patience.String()}, flags...)...)
	run.waitFor("Started workers")

	// The Deployment is made, becomes available, and is counted in the status, through its subresource.
	first := filepath.Join(dir, "first.foo")
	w.write(first, foo("example-foo", name, "example-foo", 1))
	kubectl("apply", "-f", first)
	run.waitFor(`Child created`, `child="Deployment `+name+`/example-foo"`, `Successfully synced "`+name+`/example-foo"`)
	status("foo/example-foo", 1)
	event("reason=Synced,type=Normal,involvedObject.kind=Foo,involvedObject.name=example-foo")
	got := kubectl("get", "foo", "example-foo", "--show-managed-fields", "-o",
		`jsonpath={.metadata.generation} {.metadata.managedFields[?(@.subresource=="status")].manager} {.metadata.managedFields[?(@.subresource=="status")].fieldsV1}`)
	if want := `1 ` + name + ` {"f:status":{".":{},"f:availableReplicas":{},"f:observedGeneration":{}}}`; got != want {
		w.Errorf("generation, manager and fields of the status: %s, want %s", got, want)
	}
	got = kubectl("get", "deployment", "example-foo", "--show-managed-fields", "-o",
		`jsonpath={.metadata.ownerReferences[*].kind} {.metadata.ownerReferences[*].controller} {.metadata.managedFields[?(@.operation=="Apply")].manager}`)
	if want := "Foo true " + name; got != want {
		w.Errorf("owner and manager of the deployment: %s, want %s", got, want)
	}

	// The Foo has the last word on the number of pods, and on whether there is a Deployment.
	kubectl("patch", "foo", "example-foo", "--type=merge", "-p", `{"spec":{"replicas":3}}`)
	run.waitFor(`Child updated`)
	status("foo/example-foo", 3)
	kubectl("scale", "deployment", "example-foo", "--replicas=5")
	run.waitFor(`Child updated`)
	kubectl("wait", "--for=jsonpath={.spec.replicas}=3", "deployment/example-foo", "--timeout=60s")
	kubectl("delete", "deployment", "example-foo")
	run.waitFor(`Child created`)
	status("foo/example-foo", 3)

	// A Deployment that is not the Foo's is refused and left as it is; what fails is tried again, later each time.
	kubectl("create", "deployment", "taken", "--image=nginx:1.29")
	second := filepath.Join(dir, "second.foo")
	w.write(second, foo("second", name, "taken", 2))
	kubectl("apply", "-f", second)
	refused := "Deployment " + name + "/taken exists and is not controlled by Foo " + name + "/second"
	run.waitFor("Reconcile failed; retrying with back-off", refused, "failures=1", refused, "repeats=")
	event("reason=ErrResourceExists,type=Warning,involvedObject.name=second")
	if got := kubectl("get", "deployment", "taken", "-o", "jsonpath={.spec.replicas} {.metadata.ownerReferences}"); got != "1 " {
		w.Errorf("the refused deployment has replicas and owners %q, want 1 and none", got)
	}
	// Success forgets the failures, and a child under another name takes the place of the one before.
	kubectl("patch", "foo", "second", "--type=merge", "-p", `{"spec":{"deploymentName":"free"}}`)
	run.waitFor(`child="Deployment `+name+`/free"`, `Successfully synced "`+name+`/second"`)
	kubectl("patch", "foo", "second", "--type=merge", "-p", `{"spec":{"deploymentName":"other"}}`)
	run.waitFor(`Child created`, `child="Deployment `+name+`/other"`, `Child deleted`, `child="Deployment `+name+`/free"`)
	kubectl("patch", "foo", "second", "--type=merge", "-p", `{"spec":{"deploymentName":"taken"}}`)
	run.waitFor(refused, "failures=1")

	// What a Foo owns goes with it, and nothing else.
	kubectl("delete", "foo", "--all")
	kubectl("wait", "--for=delete", "deployment,replicaset,pod", "-l", "foo", "--timeout=60s")
	if got := kubectl("get", "deployments", "-o", "name"); got != "deployment.apps/taken\n" {
		w.Errorf("in the end there are %s", got)
	}
	w.end(run)
	if text := run.text(); strings.Contains(text, "panic") {
		w.Error("there was a panic")
	}
}

// pageBlocks are the indented parts of a page.
type pageBlocks struct {
	*world
	page string
	all  []string
}

var block = regexp.MustCompile(`(?m)(?:^(?:    .*)?\n)+`)

func (w *world) blocks(page string) pageBlocks {
	w.Helper()
	text, err := os.ReadFile(page)
	w.check(err)
	b := pageBlocks{world: w, page: page}
	for _, each := range block.FindAllString(string(text), -1) {
		if each = strings.Trim(regexp.MustCompile(`(?m)^    `).ReplaceAllString(each, ""), "\n"); each != "" {
			b.all = append(b.all, each+"\n")
		}
	}
	return b
}

// with is the one part of the page that begins with the first text and has the others in it.
func (b pageBlocks) with(begin string, texts ...string) string {
	b.Helper()
	var found []string
each:
	for _, block := range b.all {
		if !strings.HasPrefix(block, begin) {
			continue
		}
		for _, text := range texts {
			if !strings.Contains(block, text) {
				continue each
			}
		}
		found = append(found, block)
	}
	if len(found) != 1 {
		b.Fatalf("%s has %d parts that begin with %q and have %q, want one", b.page, len(found), begin, texts)
	}
	return found[0]
}

// program writes a program in the way of an editor: beside it, then renamed.
func (w *world) program(file, text string) {
	w.Helper()
	w.check(os.WriteFile(file+".new", []byte(text), 0o755))
	w.check(os.Rename(file+".new", file))
}

// testdata is the path of a file of the tests.
func (w *world) testdata(name string) string {
	w.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	w.check(err)
	return path
}
