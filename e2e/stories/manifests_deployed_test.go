// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
)

// deployed is a controller that was put into a cluster with "crdctl manifests". There is no kubelet, so its process is started
// here, with what the pods would have: the account's token, the arguments, the files of the ConfigMaps.
type deployed struct {
	*world
	*process
	plane   string // the directory of the control plane
	account rbacaudit.Account
	client  kubernetes.Interface
}

// deploy writes the manifests of a project, applies them, and starts the controller.
func deploy(t *testing.T, plane, name string) *deployed {
	t.Helper()
	w := newLoneWorld(t)
	project, admin := w.manifestsProject(name), filepath.Join(plane, ".crdctl/kubeconfig")
	d := &deployed{world: w, plane: plane, account: rbacaudit.Account{Namespace: name + "-system", Name: name}, client: clientFor(t, admin)}
	if name == "hooked" {
		w.kubectl(plane, "create", "secret", "generic", "hooked-secret", "-n", "default")
	}
	if name == "spaced" {
		for _, namespace := range []string{"team-a", "team-b", "team-c"} {
			w.kubectl(plane, "create", "namespace", namespace)
		}
	}
	// As files or as a stream: both are docs/in-cluster.md's.
	if name == "hooked" {
		w.run(project, crdctl, "manifests", "--image", "registry.example.com/crdctl:v1", "-o", "deploy")
		w.kubectl(plane, "apply", "--server-side", "-f", filepath.Join(project, "deploy"))
	} else {
		w.run(plane, "sh", "-c", `"$0" manifests -C "$1" --image registry.example.com/crdctl:v1 | "$0" kubectl apply --server-side -f -`, crdctl, project)
	}
	deployment, err := d.client.AppsV1().Deployments(d.account.Namespace).Get(t.Context(), name, metav1.GetOptions{})
	d.check(err)
	d.process = w.start(w.dir, crdctl, d.args(deployment, admin)...)
	d.waitFor("Started workers")
	return d
}

// args are those of the pods, for a process that is in none.
func (d *deployed) args(deployment *appsv1.Deployment, admin string) (args []string) {
	pod := deployment.Spec.Template.Spec
	require.Equal(d.world, d.account.Name, pod.ServiceAccountName, "the pods")
	mounts := map[string]string{"--in-cluster": "--kubeconfig=" + d.kubeconfig(admin), "--metrics=:8080": "--metrics=127.0.0.1:0"}
	container := pod.Containers[0]
	for _, mount := range container.VolumeMounts {
		for _, volume := range pod.Volumes {
			if volume.Name == mount.Name && volume.ConfigMap != nil {
				mounts[mount.MountPath] = d.mount(volume)
			}
		}
	}
	missing := map[string]bool{"--in-cluster": true, "--metrics=:8080": true}
	for _, arg := range container.Args {
		delete(missing, arg)
		for from, to := range mounts {
			arg = strings.ReplaceAll(arg, from, to)
		}
		args = append(args, arg)
	}
	require.Empty(d.world, missing, "the arguments %q have no", container.Args)
	return args
}

// mount lays the files of a ConfigMap out, as the kubelet does.
func (d *deployed) mount(volume corev1.Volume) (dir string) {
	dir = filepath.Join(d.dir, "mount-"+volume.Name)
	d.check(os.Mkdir(dir, 0o755))
	m, err := d.client.CoreV1().ConfigMaps(d.account.Namespace).Get(d.world.Context(), volume.ConfigMap.Name, metav1.GetOptions{})
	d.check(err)
	for name, content := range m.Data {
		d.check(os.WriteFile(filepath.Join(dir, name), []byte(content), os.FileMode(*volume.ConfigMap.DefaultMode)))
	}
	return dir
}

// kubeconfig is one with a token of the account, and nothing of the administrator's.
func (d *deployed) kubeconfig(admin string) (file string) {
	config, err := clientcmd.LoadFromFile(admin)
	d.check(err)
	token := strings.TrimSpace(d.kubectl(d.plane, "create", "token", d.account.Name, "-n", d.account.Namespace))
	for _, user := range config.AuthInfos {
		user.Token, user.TokenFile, user.ClientCertificateData, user.ClientKeyData = token, "", nil, nil
	}
	file = filepath.Join(d.dir, "kubeconfig")
	d.check(clientcmd.WriteToFile(*config, file))
	return file
}

// apply makes or changes the sample of a kind.
func (d *deployed) apply(kind, namespace, spec string) {
	d.world.Helper()
	file := filepath.Join(d.dir, "sample.yaml")
	d.write(file, fmt.Sprintf("apiVersion: example.com/v1\nkind: %s\nmetadata: {name: sample, namespace: %s}\nspec: %s\n", strings.ToUpper(kind[:1])+kind[1:], namespace, spec))
	d.eventually("sample", d.plane, crdctl, "kubectl", "apply", "-f", file) // a kind that is new takes no objects for a while
}

// is waits until a template gives a text for an object: kind/name, or the sample of the kind.
func (d *deployed) is(want, object, namespace, template string) {
	d.world.Helper()
	d.eventually("<"+want+">", d.plane, crdctl, "kubectl", "get", sample(object), "-n", namespace, "-o", "go-template=<"+template+">")
}

// gone waits until an object is deleted.
func (d *deployed) gone(object, namespace string) {
	d.world.Helper()
	d.kubectl(d.plane, "wait", "--for=delete", sample(object), "-n", namespace, "--timeout=60s")
}

// events waits for an event of the controller's that was recorded more than once.
func (d *deployed) events(kind, reason, namespace string) {
	d.world.Helper()
	d.eventually("true", d.plane, crdctl, "kubectl", "get", "events", "-n", namespace, "--field-selector",
		"reason="+reason+",involvedObject.name=sample,involvedObject.kind="+strings.ToUpper(kind[:1])+kind[1:], "-o", "go-template={{range .items}}{{gt .count 1}}{{end}}")
}

func sample(object string) string {
	if strings.Contains(object, "/") {
		return object
	}
	return object + "/sample"
}

// report compares what the account asked for with what it is granted. Whatever was refused once is missing.
func (d *deployed) report() rbacaudit.Report {
	d.world.Helper()
	var used rbacaudit.Used
	raw := d.kubectl(d.plane, "get", "--raw", rbacaudit.Path+"?user="+d.account.User())
	d.check(json.Unmarshal([]byte(raw), &used))
	grants, err := rbacaudit.Grants(d.world.Context(), d.client.RbacV1(), d.account)
	d.check(err)
	require.NotEmpty(d.world, used.Tallies, "grants: nothing was compared")
	require.NotEmpty(d.world, grants, "grants: nothing was compared")
	for _, t := range used.Tallies {
		assert.LessOrEqual(d.world, t.Refused, 0, "refused: %s", t.Request)
	}
	return rbacaudit.Compare(used, grants)
}
