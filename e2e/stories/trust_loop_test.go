// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// trusted is the place of one row: a kind and a namespace of its own, and clients that speak to the API server without anything
// in between.
type trusted struct {
	*world
	name, hook string
	group      string // of the kind Thing
	namespace  string
	crd        string // file
	children   int    // of each object

	kubeconfig string
	config     *rest.Config
	client     dynamic.Interface
	core       kubernetes.Interface
}

// thingCRD takes the group.
const thingCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {value: {type: string}, children: {type: integer}}}
            status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

func newTrusted(t *testing.T, name, kubeconfig, hook string) *trusted {
	t.Helper()
	r := &trusted{world: newLoneWorld(t), name: name, hook: hook, group: name + ".example.com", namespace: name, children: 1}
	r.crd = filepath.Join(r.dir, "crd.yaml")
	r.write(r.crd, fmt.Sprintf(thingCRD, r.group))
	r.check(os.Mkdir(filepath.Join(r.dir, "faults"), 0o755))
	r.use(kubeconfig)
	return r
}

// use has the row speak to the API server of a kubeconfig.
func (r *trusted) use(kubeconfig string) {
	r.Helper()
	var err error
	r.kubeconfig, r.config = kubeconfig, configFor(r, kubeconfig)
	r.client, err = dynamic.NewForConfig(r.config)
	r.check(err)
	r.core = clientFor(r, kubeconfig)
	_, err = r.core.CoreV1().Namespaces().Create(r.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.namespace}}, metav1.CreateOptions{})
	r.check(err)
}

// loop is a loop in a process of its own.
type loop struct {
	*process
	row     *trusted
	address string // of its metrics
	peak    int    // the highest peak of memory that was read, in MiB
}

// run starts a loop with the hook.
func (r *trusted) runLoop(kubeconfig string, args ...string) *loop {
	r.Helper()
	all := []string{"run", "--builtin", "--kubeconfig", kubeconfig, "-f", r.crd, "--namespace", r.namespace, "--owns", "v1/ConfigMap",
		"--hook", r.hook, "--metrics", "127.0.0.1:0", "--profiling", "--resync", "0s"} // or a resync repairs what was lost
	l := &loop{process: r.start(r.dir, crdctl, append(all, args...)...), row: r}
	l.waitFor("Serving metrics and probes address=")
	r.until("the address is printed whole", func() bool {
		rest, found := "", false
		l.address, rest, found = strings.Cut(l.text()[l.seen:], "\n")
		return found || rest != ""
	})
	l.waitFor("Started workers")
	return l
}

// fault has the hook misbehave for an object; see testdata/trusthook.
func (r *trusted) fault(name, how string) {
	r.Helper()
	file := filepath.Join(r.dir, "faults", name)
	r.write(file+".new", how)
	r.check(os.Rename(file+".new", file)) // at once: hooks read it
}

func (r *trusted) noFault(name string) {
	r.Helper()
	r.check(os.Remove(filepath.Join(r.dir, "faults", name)))
}

// ends ends a loop, and holds that nothing of it is left.
func (l *loop) ends() {
	l.Helper()
	l.row.end(l.process)
	l.row.leavesNothing(l.row.dir)
}
