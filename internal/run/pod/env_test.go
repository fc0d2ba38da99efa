// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/crdctl/crdctl/internal/crd/manifest"
)

// A pod has variables from ConfigMaps and Secrets. Those that the manifests have are set, and the others are named.
func TestVariablesOfThePod(t *testing.T) {
	const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: shop-system}
spec:
  template:
    metadata: {labels: {shop.example.com/name: shop}}
    spec:
      containers:
      - name: manager
        envFrom:
        - {configMapRef: {name: settings}, prefix: SHOP_}
        - {secretRef: {name: made-in-the-cluster}}
        env:
        - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: SHOP, valueFrom: {fieldRef: {fieldPath: "metadata.labels['shop.example.com/name']"}}}
        - {name: NOTE, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['note']"}}}
        - {name: PEER, value: shop.$(NAMESPACE).svc.$(OTHER)}
        - {name: MODE, valueFrom: {configMapKeyRef: {name: settings, key: mode}}}
        - {name: PASSWORD, valueFrom: {secretKeyRef: {name: password, key: encoded}}}
        - {name: PIN, valueFrom: {secretKeyRef: {name: password, key: plain}}}
        - {name: URL, value: "https://admin:$(PASSWORD)@shop"}
        - {name: TOKEN, valueFrom: {secretKeyRef: {name: made-in-the-cluster, key: token}}}
        - {name: REGION, valueFrom: {configMapKeyRef: {name: settings, key: region}}}
        - {name: CERTIFICATE, value: /secret/tls.crt}
        - {name: APP_KEY, value: /secret/app_key}
        - {name: POOLS, value: "${SHOP_POOLS:=false}"}
        args: ["--address=${SHOP_ADDRESS:=:8443}", "--level=${SHOP_LEVEL:-2}", "--name=${SHOP_NAME}", --region=$SHOP_REGION, "--cost=$5", -license=/secret/license, --cert=/secret/tls.crt, --config=shop.yaml, --mode=fast, --sums=sums.yaml]
        volumeMounts:
        - {name: secret, mountPath: /secret}
        - {name: settings, mountPath: /shop.yaml, subPath: color}
        - {name: settings, mountPath: /fast, subPath: mode}
        - {name: settings, mountPath: /sums.yaml, subPath: gone}
        - {name: packages, mountPath: /packages}
        - {name: tmp, mountPath: /tmp}
      initContainers:
      - {name: fill, volumeMounts: [{name: packages, mountPath: /out}]}
      - {name: migrate}
      volumes:
      - {name: secret, secret: {secretName: made-in-the-cluster}}
      - {name: packages, emptyDir: {}}
      - {name: settings, configMap: {name: settings}}
      - {name: tmp, emptyDir: {}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop-system}
data: {mode: fast, color: "${SHOP_COLOR:-red}", id: "${SHOP_ID}", level: "${SHOP_LEVEL}"}
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: shop-system}
data: {encoded: aHVudGVy}
stringData: {plain: "1234"}
`
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(manifests), 0o600))
	objects, err := manifest.Objects(dir, "all.yaml")
	require.NoError(t, err)

	t.Setenv("SHOP_LEVEL", "5")
	t.Setenv("SHOP_REGION", "south") // as KUBECONFIG, which is another one for the controller
	here := Mounts{Dir: t.TempDir(), Certs: "/certs", Objects: objects, Adapt: strings.TrimSpace}
	p := New(objects[0], "", here)
	assert.Equal(t, []Variable{
		{"SHOP_color", "red"},
		{"SHOP_level", "5"},
		{"SHOP_mode", "fast"},
		{"NAMESPACE", "shop-system"},
		{"SHOP", "shop"},
		{"NOTE", ""},
		{"PEER", "shop.shop-system.svc.$(OTHER)"},
		{"MODE", "fast"},
		{"PASSWORD", "hunter"},
		{"PIN", "1234"},
		{"URL", "https://admin:hunter@shop"},
		{"CERTIFICATE", "/certs/tls.crt"},
		{"POOLS", "false"},
	}, p.Env)
	assert.Equal(t, []string{"--address=:8443", "--level=5", "--name=$(SHOP_NAME)", "--region=$(SHOP_REGION)", "--cost=$5", "-license=/secret/license", "--cert=/certs/tls.crt",
		"--config=" + filepath.Join(here.Dir, "settings", "color"), "--mode=fast", "--sums=sums.yaml"}, p.Args, "variables of clusterctl that have a default, certificates, and a file in the working directory")
	assert.Equal(t, []string{"-license=/secret/license"}, p.Absent)
	assert.Equal(t, []string{"SHOP_mode=fast", "MODE=fast"}, p.WithoutSecrets([]string{"SHOP_mode=fast", "SHOP_REGION=north", "TOKEN=hunter", "PASSWORD=hunter", "PIN=1234", "URL=https://admin:hunter@shop", "MODE=fast"}))
	assert.Equal(t, "SHOP_NAME (--name=$(SHOP_NAME)), TOKEN (Secret made-in-the-cluster), REGION (ConfigMap settings), SHOP_id (${SHOP_ID}), APP_KEY (a file of a Secret)", p.Lacks(p.Args, []string{"SHOP_REGION=north"}))
	assert.Equal(t, "TOKEN (Secret made-in-the-cluster)", p.Lacks(nil, []string{"REGION=", "APP_KEY=/key", "SHOP_id=1"}))
	assert.Equal(t, []string{"/packages (fill)"}, p.Filled)
}

// The program of a container is its command, or an argument of a program that starts another.
func TestAfterProgram(t *testing.T) {
	volume := []corev1.VolumeMount{{MountPath: "/data"}}
	for name, c := range map[string]struct {
		container corev1.Container
		want      []string
	}{
		"command":             {corev1.Container{Command: []string{"/manager", "run"}, Args: []string{"--a"}}, []string{"run", "--a"}},
		"arguments":           {corev1.Container{Args: []string{"run", "/manager"}}, []string{"run", "/manager"}},
		"the image starts it": {corev1.Container{Args: []string{"/manager", "--a"}}, []string{"--a"}},
		"a file":              {corev1.Container{Args: []string{"/config.yaml", "--a"}}, []string{"/config.yaml", "--a"}},
		"a volume":            {corev1.Container{Args: []string{"/data/objects", "--a"}, VolumeMounts: volume}, []string{"/data/objects", "--a"}},
		"tini":                {corev1.Container{Command: []string{"/sbin/tini", "-s", "--"}, Args: []string{"manager", "--a"}}, []string{"--a"}},
		"env":                 {corev1.Container{Command: []string{"env", "A=b", "manager", "--c"}}, []string{"--c"}},
		"a shell":             {corev1.Container{Command: []string{"/bin/sh", "-c", "exec manager --a"}}, nil},
	} {
		assert.Equal(t, c.want, afterProgram(c.container), name)
	}
}

// What a shell starts is not read: its program gets the subcommand that the image or the sources show.
func TestCommandOfAShell(t *testing.T) {
	for command, want := range map[string]bool{"/bin/sh": false, "/manager": true} {
		objects, err := manifest.Rendered("a.yaml", []byte("{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{name: a, command: ["+command+", -c, manager run]}]}}}}"))
		require.NoError(t, err)
		assert.Equal(t, want, New(objects[0], "", Mounts{}).Command, command)
	}
}
