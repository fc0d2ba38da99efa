// SPDX-License-Identifier: Apache-2.0

package run

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/run/pod"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// managerManifests are what a project has for its controller in a cluster.
const managerManifests = `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.visibility.example.com}
spec: {group: visibility.example.com, version: v1, service: {name: manager, namespace: shop-system}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: shop-system}
spec:
  template:
    metadata: {labels: {control-plane: controller-manager}}
    spec:
      serviceAccountName: controller
      containers:
      - {name: proxy, args: [--other]}
      - name: manager
        command: [/manager, run]
        args: [--leader-elect, --metrics-bind-address, ":8443", --storage=/data/objects, --config=/config.yaml, --cert-dir=/certs, --in=/database, --peer=shop.$(POD_NAMESPACE).svc]
        env:
        - {name: POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: CACHE, value: /data/cache}
        - {name: KEY, valueFrom: {secretKeyRef: {name: key, key: key}}}
        volumeMounts:
        - {name: data, mountPath: /data/}
        - {name: config, mountPath: /config.yaml, subPath: config.yaml}
        - {name: certs, mountPath: /certs}
        - {name: gone, mountPath: /gone}
      volumes:
      - {name: data, emptyDir: {}}
      - {name: config, configMap: {name: config}}
      - {name: certs, secret: {secretName: made-in-the-cluster}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: dashboard, namespace: shop-system}
spec: {template: {spec: {containers: [{name: web}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: shop-system}
data:

  config.yaml: |
    apiVersion: config.example.com/v1
    kind: Configuration
    webhook: {port: 9443}
    leaderElection: {leaderElect: true, resourceName: shop}
    # internalCertManagement: {enable: true}
  ../outside: content
`

func managedInstaller(t *testing.T, program *mainpkg.Program) (i *installer, said *strings.Builder) {
	t.Helper()
	root, said := t.TempDir(), &strings.Builder{}
	safefstest.WriteFiles(t, root, map[string]string{"config/all.yaml": managerManifests})
	m, err := newProgram(program, t.TempDir(), false)
	require.NoError(t, err)
	return &installer{
		Options: Options{Options: builtin.Options{Root: root}, Project: &config.Project{Controller: config.Controller{Manifests: []string{"config"}}}, Program: program},
		sources: newSources(root), program: m, hooks: &webhooks{port: 4321, certDir: m.certDir()}, applier: &applier{}, reporter: ui.NewReporter(said),
	}, said
}

// A program with webhooks starts against a cluster, too: it has a certificate, and the webhooks of the manifests are not applied.
func TestCertificateInACluster(t *testing.T) {
	o := Options{Options: builtin.Options{Root: t.TempDir()}, Project: &config.Project{}, Program: &mainpkg.Program{}}
	i, err := newInstaller(o, &target.API{}, t.TempDir(), ui.NewReporter(&strings.Builder{}))
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(i.program.certDir(), "tls.crt"))
	assert.Subset(t, i.env(), i.hooks.env(), "the arguments of a scaffold name these variables")
	assert.Nil(t, i.applier)
}

// The controller gets what its pod has in a cluster, as far as it holds here, and no flag that it does not have.
func TestManagerRunsAsItsPod(t *testing.T) {
	i, said := managedInstaller(t, &mainpkg.Program{
		Flags: map[string]mainpkg.Flag{
			"metrics-bind-address": {Default: ":8080"}, "leader-elect": {Bool: true}, "webhook-port": {}, "webhook-cert-path": {}, "kubeconfig": {},
			"peer-cert-dir": {Default: "/certs"}, "out": {Default: "/out"},
		},
		Env: []string{"POD_NAME", "POD_NAMESPACE", "UNRELATED"}, Dir: "cmd", CertDirs: []string{"/etc/shop/metrics/certs"},
	})
	assert.Zero(t, i.program.webhookPort(), "any port, because a flag sets it")
	objects, err := i.objects()
	require.NoError(t, err)
	var left []string
	for _, o := range objects {
		left = append(left, o.GetKind()+"/"+o.GetName())
	}
	assert.Equal(t, []string{"Deployment/dashboard", "ConfigMap/config"}, left, "all but the controller is applied")
	volumes := filepath.Join(i.program.temp, "volumes")
	assert.Equal(t, []string{
		"run", "--storage=" + filepath.Join(volumes, "data", "objects"), "--config=" + filepath.Join(volumes, "config", "config.yaml"),
		"--in=/database", "--peer=shop.$(POD_NAMESPACE).svc",
		"--metrics-bind-address=" + i.program.metrics, "--leader-elect=false", "--webhook-port=4321",
		"--webhook-cert-path=" + i.program.certDir(), "--cert-dir=" + i.program.certDir(), "--kubeconfig=$(KUBECONFIG)", "--peer-cert-dir=" + i.program.certDir(),
	}, i.program.args(i.hooks))
	assert.True(t, strings.HasPrefix(i.program.metrics, "127.0.0.1:"))
	env := i.program.env([]string{"CACHE=of the user"})
	assert.Subset(t, env, []string{"POD_NAMESPACE=shop-system", "POD_NAME=crdctl", tempVars()[0] + "=" + i.program.temp})
	assert.Len(t, env, 2+len(tempVars()), "neither what the user has set, nor what only the cluster knows: %v", env)
	content, err := os.ReadFile(filepath.Join(volumes, "config", "config.yaml"))
	require.NoError(t, err)
	assert.YAMLEq(t, "{apiVersion: config.example.com/v1, kind: Configuration, webhook: {port: 4321, certDir: '"+i.program.certDir()+"'}, leaderElection: {leaderElect: false, resourceName: shop}, internalCertManagement: {enable: false}}", string(content))
	assert.Contains(t, said.String(), "skipped v1.visibility.example.com")
	assert.Contains(t, said.String(), "adapted to this machine: internalCertManagement.enable, leaderElection.leaderElect, webhook")
	assert.Contains(t, said.String(), "cmd uses /etc/shop/metrics/certs, which does not exist and cannot be changed by a flag; ")
	assert.NoFileExists(t, filepath.Join(volumes, "outside"))
	assert.Equal(t, "controller", i.program.pod.Account)
	i.target = &target.API{Ours: true}
	i.tellAccount()
	assert.Contains(t, said.String(), "administrator: no manifest has its service account, shop-system/controller\n", "--as-service-account would fail")
	safefstest.WriteFiles(t, i.Root, map[string]string{"config/account.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: controller, namespace: shop-system}\n"})
	_, err = i.objects()
	require.NoError(t, err)
	i.tellAccount()
	assert.Contains(t, said.String(), "--as-service-account shop-system/controller gives it only")
	for binding, want := range map[string]string{
		"":            "no manifest binds a role to its service account, shop-system/default\n",
		"elsewhere":   "no manifest binds a role to its service account, shop-system/default\n",
		"shop-system": "--as-service-account shop-system/default gives it only",
	} {
		said.Reset()
		safefstest.WriteFiles(t, i.Root, map[string]string{
			"config/all.yaml": strings.ReplaceAll(managerManifests, "serviceAccountName: controller", "priorityClassName: high"),
			"config/account.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: manager}\n" +
				"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: manager}\n" +
				"subjects: [{kind: ServiceAccount, name: default, namespace: '" + binding + "'}]\n",
		})
		_, err = i.objects()
		require.NoError(t, err)
		i.tellAccount()
		assert.Contains(t, said.String(), want, "a pod that names no account has that of its namespace")
	}
	safefstest.WriteFiles(t, i.Root, map[string]string{
		"config/account.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: manager}\n" +
			"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager}\n" +
			"subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: 'system:serviceaccounts:shop-system'}]\n",
	})
	said.Reset()
	_, err = i.objects()
	require.NoError(t, err)
	i.tellAccount()
	assert.Contains(t, said.String(), "--as-service-account shop-system/default gives it only", "bound by its group")
	assert.Contains(t, i.unread(), "; its manifests set --cert-dir, which the sources of the module do not define; ")
	i.program.pod = nil
	assert.NotContains(t, i.unread(), "Deployment", "the manifests that the settings name are those of the user")
	i.Located = true
	assert.Contains(t, i.unread(), "; no manifest with its Deployment was found, ")
}

// rotatorManifests are those of a controller that keeps the certificates of its webhooks in a Secret, as kueue and jobset do.
const rotatorManifests = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: shop-system}
spec:
  template:
    metadata: {labels: {control-plane: controller-manager}}
    spec:
      containers:
      - name: manager
        args: [--config=/config.yaml]
        volumeMounts:
        - {name: config, mountPath: /config.yaml, subPath: config.yaml}
        - {name: certs, mountPath: /tmp/k8s-webhook-server/serving-certs}
        - {name: cache, mountPath: /shop-cache}
      volumes:
      - {name: cache, emptyDir: {}}
      - {name: config, configMap: {name: config}}
      - {name: certs, secret: {secretName: webhook-server-cert}}
---
apiVersion: v1
kind: Secret
metadata: {name: webhook-server-cert, namespace: shop-system}
---
apiVersion: v1
kind: Secret
metadata: {name: another, namespace: shop-system}
---
apiVersion: v1
kind: Service
metadata: {name: webhook-service, namespace: shop-system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: shop-system}
data: {config.yaml: "{apiVersion: config.example.com/v1, kind: Configuration, leaderElection: {leaderElect: true}, internalCertManagement: {enable: true}}"}
`

// A rotator of certificates stays on: what it would make is there. These are the checks of cert-controller.
func TestRotatorFindsItsSecret(t *testing.T) {
	i, said := managedInstaller(t, &mainpkg.Program{
		Dir: "cmd", Authority: "shop-ca", ReadsKubeconfig: true, CertDirs: []string{"/etc/shop/metrics/certs"},
		Paths: []string{"/shop-cache", "/tmp/k8s-webhook-server/serving-certs"},
	})
	safefstest.WriteFiles(t, i.Root, map[string]string{"config/all.yaml": rotatorManifests})
	objects, err := i.objects()
	require.NoError(t, err)
	again, err := i.objects()
	require.NoError(t, err)
	assert.Equal(t, objects, again, "the certificate stays the same")
	file := func(name string) []byte {
		for _, o := range objects {
			if o.GetName() == "another" {
				assert.NotContains(t, o.Object, "data")
			}
			if value, found, _ := unstructured.NestedString(o.Object, "data", name); found && o.GetName() == "webhook-server-cert" {
				data, err := base64.StdEncoding.DecodeString(value)
				require.NoError(t, err)
				return data
			}
		}
		t.Fatalf("the Secret has no %s", name)
		return nil
	}
	ca, cert := certificate(t, file("ca.crt")), certificate(t, file("tls.crt"))
	trusted := x509.NewCertPool()
	trusted.AddCert(ca)
	for host, c := range map[string]*x509.Certificate{"shop-ca": ca, "webhook-service.shop-system.svc": cert, "127.0.0.1": cert} {
		_, err = c.Verify(x509.VerifyOptions{DNSName: host, Roots: trusted, CurrentTime: time.Now().Add(90 * 24 * time.Hour)})
		require.NoError(t, err, host)
	}
	key, _ := pem.Decode(file("ca.key"))
	_, err = x509.ParsePKCS1PrivateKey(key.Bytes)
	require.NoError(t, err)
	served, err := os.ReadFile(filepath.Join(i.program.certDir(), "tls.crt"))
	require.NoError(t, err)
	assert.Equal(t, file("tls.crt"), served)
	assert.Equal(t, base64.StdEncoding.EncodeToString(file("ca.crt")), i.hooks.ca)

	content, err := os.ReadFile(filepath.Join(i.program.temp, "volumes", "config", "config.yaml"))
	require.NoError(t, err)
	assert.YAMLEq(t, "{apiVersion: config.example.com/v1, kind: Configuration, leaderElection: {leaderElect: false}, internalCertManagement: {enable: true}}", string(content))
	assert.NotContains(t, said.String(), "/etc/shop/metrics/certs")
	assert.Contains(t, said.String(), `cmd uses volumes of its pod that no argument moves: /shop-cache; if it cannot create them, run "sudo install -d -o $USER /shop-cache"`)
	assert.Contains(t, i.program.args(i.hooks), "--kubeconfig=$(KUBECONFIG)")

	// Without other certificates, turning the rotator off is all that it takes, by a switch or in the configuration file.
	i.program.source.CertDirs = nil
	for name, want := range map[string]string{"manage-webhook-certs": "--manage-webhook-certs=false", "disable-cert-rotation": "--disable-cert-rotation=true"} {
		i.program.source.Flags = map[string]mainpkg.Flag{name: {}}
		assert.NotContains(t, strings.Join(i.program.args(i.hooks), " "), name, "not a switch")
		i.program.source.Flags[name] = mainpkg.Flag{Bool: true}
		assert.Contains(t, i.program.args(i.hooks), want)
		_, err = i.objects()
		require.NoError(t, err)
		assert.False(t, i.program.rotates)
		i.program.source.CertDirs = []string{"/etc/shop/metrics/certs"}
		assert.NotContains(t, i.program.args(i.hooks), want, "what it makes elsewhere is needed")
		i.program.source.CertDirs = nil
	}
	i.program.source.Flags = nil
	i.program.source.CertDirs = nil
	_, err = i.objects()
	require.NoError(t, err)
	content, err = os.ReadFile(filepath.Join(i.program.temp, "volumes", "config", "config.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(content), "enable: false")
}

func certificate(t *testing.T, data []byte) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(data)
	require.NotNil(t, block)
	c, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	return c
}

// A program with subcommands gets the one of its image, where the manifests have no command.
func TestSubcommand(t *testing.T) {
	for dockerfile, want := range map[string][]string{
		"FROM a\nENTRYPOINT [\"/x\", \"b\"]\nFROM b\nentrypoint [ \"authorino\", \"server\", \"--tls\", \"x\" ] \n": {"server"},
		"ENTRYPOINT [\"/manager\"]\nCMD [\"run\"]\n":                                                                nil,
		"ENTRYPOINT [\"/tini\", \"--\", \"/manager\", \"run\"]\n":                                                   nil,
		"ENTRYPOINT /manager run\n":                                                                                 nil,
		"ENTRYPOINT [\"/manager\", \"./config.yaml\"]\n":                                                            nil,
		"ENTRYPOINT [/manager]\n":                                                                                   nil,
	} {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, map[string]string{"Dockerfile": dockerfile})
		assert.Equal(t, want, pod.Subcommand(root), dockerfile)
	}
	m, err := newProgram(&mainpkg.Program{Flags: map[string]mainpkg.Flag{"health-addr": {}}}, t.TempDir(), false)
	require.NoError(t, err)
	m.subcommand = []string{"server"}
	assert.Equal(t, []string{"server", "--health-addr=" + m.probes}, m.args(nil))
	m.pod = &pod.Pod{Args: []string{"--all"}}
	assert.Equal(t, []string{"server", "--all", "--health-addr=" + m.probes}, m.args(nil))
	m.pod = &pod.Pod{Command: true, Args: []string{"run"}}
	assert.Equal(t, []string{"run", "--health-addr=" + m.probes}, m.args(nil))

	m.pod, m.subcommand, m.source.Starter = nil, nil, "manager"
	assert.Equal(t, []string{"manager", "--health-addr=" + m.probes}, m.args(nil), "the sources tell it")
	m.more = []string{"serve"}
	assert.Equal(t, []string{"--health-addr=" + m.probes}, m.args(nil), "the user names one")
	m.pod, m.more = &pod.Pod{Args: []string{"run", "--all"}}, nil
	assert.Equal(t, []string{"run", "--all", "--health-addr=" + m.probes}, m.args(nil), "the manifests name one")
	m.pod = &pod.Pod{Args: []string{"--all", "manager"}}
	assert.Equal(t, []string{"--all", "manager", "--health-addr=" + m.probes}, m.args(nil), "the manifests name it after a flag")

	m.pod, m.source.Flags = &pod.Pod{Namespace: "shop"}, map[string]mainpkg.Flag{"operator-namespace": {}, "leader-election-namespace": {}, "lease_namespace": {}}
	assert.Equal(t, []string{"manager", "--operator-namespace=shop", "--leader-election-namespace=shop", "--lease_namespace=shop"}, m.args(nil), "the namespace of the pod")
	m.pod.Args = []string{"--operator-namespace=mine"}
	m.source.Flags = map[string]mainpkg.Flag{"operator-namespace": {}}
	assert.Equal(t, []string{"manager", "--operator-namespace=mine"}, m.args(nil), "the manifests have it")

	m.pod = &pod.Pod{Command: true, Args: []string{"run"}}
	m.source.Flags = map[string]mainpkg.Flag{"probe-addr": {Commands: []string{"agent"}}, "health-addr": {Commands: []string{"agent", "run"}}}
	assert.Equal(t, []string{"run", "--health-addr=" + m.probes}, m.args(nil), "flags of another subcommand")
	m.more = []string{"agent"}
	assert.Equal(t, []string{"run", "--health-addr=" + m.probes, "--probe-addr=" + m.probes}, m.args(nil), "subcommands that the user names")
}

// Without manifests, only what the sources show is set.
func TestManagerWithoutManifests(t *testing.T) {
	m, err := newProgram(&mainpkg.Program{Flags: map[string]mainpkg.Flag{"health-addr": {}}, Env: []string{"RUNTIME_NAMESPACE", "SERVICE_ACCOUNT"}}, t.TempDir(), false)
	require.NoError(t, err)
	assert.Equal(t, []string{"--health-addr=" + m.probes}, m.args(&webhooks{port: 1}))
	assert.Equal(t, 9443, m.webhookPort())
	assert.Subset(t, m.env(nil), []string{"RUNTIME_NAMESPACE=default", "SERVICE_ACCOUNT=default"})
	assert.Equal(t, filepath.Join(m.temp, "k8s-webhook-server", "serving-certs"), m.certDir(), "as controller-runtime has it")
	m.source.WebhookPort = 9876
	assert.Equal(t, 9876, m.webhookPort())
	m.source.Flags = map[string]mainpkg.Flag{"webhook-bind-address": {}}
	assert.Empty(t, m.args(&webhooks{port: 1}), "a host, next to the port in the sources")
	assert.Equal(t, 9876, m.webhookPort())
	m.source.WebhookPort = 0
	m.source.Flags = map[string]mainpkg.Flag{"webhook-bind-address": {}, "webhook-port": {}}
	assert.Equal(t, []string{"--webhook-port=1"}, m.args(&webhooks{port: 1}), "a host, next to a port")
	m.source.Flags = map[string]mainpkg.Flag{"webhook-addr": {Default: ":9443"}, "readiness-probe-bind-address": {Default: ":6060"}}
	assert.Equal(t, []string{"--readiness-probe-bind-address=" + m.ready, "--webhook-addr=127.0.0.1:1"}, m.args(&webhooks{port: 1}))
	assert.Zero(t, m.webhookPort(), "any port, because a flag sets the address")
	m.source.Flags = map[string]mainpkg.Flag{"webhook-bind-address": {Number: true}, "metrics-addr": {Number: true}, "metrics-bind-address": {Default: "0"}}
	assert.Equal(t, []string{"--metrics-bind-address=" + m.metrics, "--metrics-addr=" + portOf(m.metrics), "--webhook-bind-address=1"}, m.args(&webhooks{port: 1}), "ports, whatever they are called")

	m.source.Flags = map[string]mainpkg.Flag{"metrics-listen-addr": {}, "health-bind-addr": {}, "unhealth-addr": {}}
	assert.Equal(t, []string{"--metrics-listen-addr=" + m.metrics, "--health-bind-addr=" + m.probes}, m.args(nil), "addresses, however they are called")
	m.source.Flags = map[string]mainpkg.Flag{"operator-metrics-bind-address": {}, "operator-health-probe-bind-address": {}, "operator-leader-election": {Bool: true}, "kubernetes.config-file": {}}
	assert.Equal(t, []string{"--operator-metrics-bind-address=" + m.metrics, "--operator-health-probe-bind-address=" + m.probes, "--operator-leader-election=false", "--kubernetes.config-file=$(KUBECONFIG)"}, m.args(nil))
	m.source.Flags = map[string]mainpkg.Flag{"kube-config": {Default: "/home/op/.kube/config"}, "disable-leader-election": {Bool: true}}
	assert.Equal(t, []string{"--disable-leader-election=true", "--kube-config=$(KUBECONFIG)"}, m.args(nil))

	m.source.Flags, m.pod = nil, &pod.Pod{Args: []string{"--disable-leader-election", "--kube-config=/config"}}
	assert.Equal(t, []string{"--disable-leader-election", "--kube-config"}, m.unread(), "flags that only the manifests know")

	m.source.Flags = map[string]mainpkg.Flag{"leader-elect": {Bool: true, Negated: true}}
	m.pod = &pod.Pod{Args: []string{"--no-leader-elect", "--no-color"}}
	assert.Equal(t, []string{"--no-color", "--no-leader-elect"}, m.args(nil), "kingpin takes a switch once")
}

// A program that reads where it serves webhooks from variables is told so, whatever its pod has for them.
func TestWebhooksByVariables(t *testing.T) {
	m, err := newProgram(&mainpkg.Program{Env: []string{"WEBHOOK_CERT_DIR", "WEBHOOK_HOST", "WEBHOOK_PORT"}}, t.TempDir(), false)
	require.NoError(t, err)
	assert.Zero(t, m.webhookPort(), "any port, because a variable sets it")
	hooks := &webhooks{port: 4321, certDir: "/certs"}
	assert.Equal(t, []string{"WEBHOOK_PORT=4321", "WEBHOOK_CERT_DIR=/certs"}, m.hookEnv(hooks, []string{"WEBHOOK_HOST=of.the.user"}))
	i := &installer{program: m, hooks: hooks}
	m.pod = &pod.Pod{Env: []pod.Variable{{Name: "WEBHOOK_PORT", Value: "9876"}}}
	env := i.env()
	assert.Greater(t, slices.Index(env, "WEBHOOK_PORT=4321"), slices.Index(env, "WEBHOOK_PORT=9876"), "the last one counts")
	t.Setenv("WEBHOOK_PORT", "8443")
	assert.Equal(t, 8443, m.webhookPort(), "the user has set the variable")
	m.source.Env = nil
	assert.Empty(t, m.hookEnv(hooks, nil))
}

// A configuration file in Gardener's form has what listens below server.
func TestConfigurationOfGardener(t *testing.T) {
	m, err := newProgram(&mainpkg.Program{}, t.TempDir(), false)
	require.NoError(t, err)
	m.metrics, m.probes = "127.0.0.1:1", "127.0.0.1:2"
	content, changed := m.configFile(`
apiVersion: config.example.com/v1
kind: Configuration
leaderElection: {enabled: true}
server:
  webhooks: {port: 9443, bindAddress: 0.0.0.0, serverCertDir: /certs}
  metrics: {port: 8080}
  healthProbes: {port: 8081, bindAddress: ""}
`, 3)
	assert.Equal(t, []string{"leaderElection.enabled", "server.healthProbes", "server.metrics", "server.webhooks"}, changed)
	assert.YAMLEq(t, "{apiVersion: config.example.com/v1, kind: Configuration, leaderElection: {enabled: false}, server: {webhooks: {port: 3, bindAddress: 127.0.0.1, serverCertDir: '"+m.certDir()+"'}, metrics: {port: 1}, healthProbes: {port: 2, bindAddress: 127.0.0.1}}}", content)
}

// Programs of client-go alone have ports, and switches that tell where they run.
func TestManagerOfClientGo(t *testing.T) {
	flags := map[string]mainpkg.Flag{"kubeconfig": {}, "outofcluster": {Bool: true}, "development": {Bool: true, Outside: true}, "in-cluster": {}, "metricsport": {Default: "8090"}, "healthzPort": {Default: "8080"}, "readiness-probe-port": {Default: "6060"}}
	m, err := newProgram(&mainpkg.Program{Flags: flags}, t.TempDir(), false)
	require.NoError(t, err)
	m.probes, m.ready = "127.0.0.1:1", "127.0.0.1:2" // of two servers
	assert.Equal(t, []string{"--metricsport=" + portOf(m.metrics), "--healthzPort=" + portOf(m.probes), "--readiness-probe-port=" + portOf(m.ready), "--outofcluster=true", "--development=true", "--kubeconfig=$(KUBECONFIG)"}, m.args(nil))
}

const foreignCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.certs.example.com}
spec:
  group: certs.example.com
  names: {kind: KIND, plural: PLURAL}
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`

// The CRDs of other projects are installed only where the program uses their kinds: from their module, or from the tests.
func TestForeignCRDs(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	crd := func(kind string) string {
		return strings.NewReplacer("KIND", kind, "PLURAL", strings.ToLower(kind)+"s").Replace(foreignCRD)
	}
	safefstest.WriteFiles(t, root, map[string]string{
		"go.mod":             "module example.com/shop\n\nrequire (\n\texample.com/Certs v1.2.3\n\texample.com/other v1.0.0\n\tmesh.example.com/client v1.0.0\n\tmesh.example.com/api v1.1.0 // indirect\n\tfleet.example.com/fleet v1.0.0\n\tfleet.example.com/fleet/types v1.0.0\n)\n",
		"test/crds/all.yaml": crd("Lease") + "---\n" + crd("Unused") + "---\n" + crd("Certificate"),
	})
	safefstest.WriteFiles(t, cache, map[string]string{
		"example.com/!certs@v1.2.3/deploy/crds/a.yaml": crd("Certificate"), "example.com/!certs@v1.2.3/deploy/crds/b.yaml": crd("Issuer"),
		"example.com/!certs@v1.2.3/config/300-crds/c.yaml": crd("Order"), "example.com/!certs@v1.2.3/apis/v1/manifests/d.yaml": crd("Challenge"),
		"example.com/!certs@v1.2.3/examples/e.yaml": crd("Sample"), "example.com/!certs@v1.2.3/charts/f.yaml": "{{ if .Values.crds }}\n" + crd("Order"),
		"example.com/!certs@v1.2.3/package/crds/h.yaml": crd("Pool"), "example.com/!certs@v1.2.3/package/crds/i.yaml": strings.ReplaceAll(crd("Pool"), "certs.example.com", "db.example.com"),
	})
	safefstest.WriteFiles(t, cache, map[string]string{
		"mesh.example.com/api@v1.1.0/kubernetes/all.gen.yaml":   crd("Gateway"),
		"fleet.example.com/fleet@v1.0.0/core/config/crd/a.yaml": crd("Claim"), "fleet.example.com/fleet@v1.0.0/cmd/testdata/a.yaml": crd("Claim"),
	})
	kinds := []mainpkg.Kind{
		{Package: "example.com/Certs/apis/v1", Name: "Certificate"}, {Package: "example.com/Certs/apis/v2", Name: "Issuer"},
		{Package: "example.com/other/v1", Name: "Lease"}, {Package: "example.com/other/v1", Name: "Known"},
		{Package: "example.com/Certs/apis/v1", Name: "Order"}, {Package: "example.com/Certs/apis/v1", Name: "Challenge"}, {Package: "example.com/Certs/apis/v1", Name: "Sample"},
		{Package: "example.com/Certs/apis/db/v1", Name: "Pool"}, {Package: "mesh.example.com/client/pkg/v1", Name: "Gateway"},
		{Package: "fleet.example.com/fleet/types/v1", Name: "Claim"},
	}
	found := foreignCRDs(root, cache, kinds, nil)
	var names []string
	for _, c := range found {
		names = append(names, c.Name+" of "+filepath.ToSlash(below(cache, c.File)))
		assert.Nil(t, c.Spec.Conversion, "nothing converts its versions here")
	}
	assert.Equal(t, []string{"certificates.certs.example.com of example.com/!certs@v1.2.3/deploy/crds/a.yaml", "leases.certs.example.com of test/crds/all.yaml",
		"orders.certs.example.com of example.com/!certs@v1.2.3/config/300-crds/c.yaml", "challenges.certs.example.com of example.com/!certs@v1.2.3/apis/v1/manifests/d.yaml",
		"pools.db.example.com of example.com/!certs@v1.2.3/package/crds/i.yaml",
		"gateways.certs.example.com of mesh.example.com/api@v1.1.0/kubernetes/all.gen.yaml",
		"claims.certs.example.com of fleet.example.com/fleet@v1.0.0/core/config/crd/a.yaml"}, names)
	assert.Empty(t, foreignCRDs(root, cache, kinds, found), "what is known is not installed again")
}

// Generated files depend on markers everywhere, and on types where packages have markers of types.
func TestMarkedSources(t *testing.T) {
	root := t.TempDir()
	write := func(file, content string) { safefstest.WriteFiles(t, root, map[string]string{file: content}) }
	write("controller/a.go", "package controller\n\n// +kubebuilder:rbac:groups=a,resources=b,verbs=get\nfunc A() {}\n")
	write("api/doc.go", "// +kubebuilder:object:generate=true\npackage api\n")
	write("api/types.go", "package api\n\ntype A struct{}\n")
	m := newMarked(root)
	for _, step := range []struct {
		name, file, content string
		changed             bool
	}{
		{"a function", "controller/a.go", "package controller\n\n// +kubebuilder:rbac:groups=a,resources=b,verbs=get\nfunc A() { println() }\n", false},
		{"a marker", "controller/a.go", "package controller\n\n// +kubebuilder:rbac:groups=a,resources=b,verbs=get;list\nfunc A() { println() }\n", true},
		{"nothing", "controller/a.go", "package controller\n\n// +kubebuilder:rbac:groups=a,resources=b,verbs=get;list\nfunc A() { println() }\n", false},
		{"a type without markers of its own", "api/types.go", "package api\n\ntype A struct{ B int }\n", true},
		{"a test", "api/types_test.go", "package api\n\n// +kubebuilder:rbac:groups=a\n", false},
		{"a generated file", "api/zz_generated.deepcopy.go", "package api\n", false},
		{"a new directory", "new/new.go", "package new\n\n//+kubebuilder:webhook:path=/a\n", true},
	} {
		write(step.file, step.content)
		assert.Equal(t, step.changed, m.changed(fswatch.Change{Sources: []string{step.file}}), step.name)
	}
}

func TestLocate(t *testing.T) {
	for name, test := range map[string]struct {
		files     []string
		given     config.Controller
		manifests []string
	}{
		"all of it":           {files: []string{"config/default/kustomization.yaml", "config/rbac/role.yaml"}, manifests: []string{"config/default"}},
		"parts":               {files: []string{"config/default/README.md", "config/rbac/role.yaml", "config/webhook/manifests.yaml"}, manifests: []string{"config/rbac", "config/webhook"}},
		"nothing":             {},
		"what the user names": {files: []string{"config/default/kustomization.yaml"}, given: config.Controller{Manifests: []string{"mine"}}, manifests: []string{"mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, f := range test.files {
				safefstest.WriteFiles(t, root, map[string]string{f: ""})
			}
			p := &config.Project{Controller: test.given}
			Locate(root, p)
			assert.Equal(t, test.manifests, nonEmpty(p.Controller.Manifests))
		})
	}
}

func nonEmpty(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// A kustomization is built again when one of its files changed, and its CRDs bear its patches.
func TestSourcesBuildKustomizations(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{
		"config/default/kustomization.yaml": "resources: [crd.yaml, account.yaml]\npatches:\n- target: {kind: CustomResourceDefinition}\n  patch: '- {op: add, path: /metadata/labels, value: {patched: \"yes\"}}'\n",
		"config/default/crd.yaml":           strings.NewReplacer("KIND", "Order", "PLURAL", "orders").Replace(foreignCRD),
		"config/default/account.yaml":       "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: one}\n",
	})
	s := newSources(root)
	read := func() (names []string, crds []manifest.CRD) {
		objects, err := s.read([]string{"config/default"})
		require.NoError(t, err)
		for _, o := range objects {
			names = append(names, o.GetName())
			o.SetName("changed")
		}
		objects, err = s.read([]string{"config/default"})
		require.NoError(t, err)
		crds, err = manifest.CRDsAmong(objects)
		require.NoError(t, err)
		return names, crds
	}
	names, crds := read()
	assert.Equal(t, []string{"orders.certs.example.com", "one"}, names)
	require.Len(t, crds, 1)
	assert.Equal(t, "yes", crds[0].Labels["patched"])
	assert.Equal(t, filepath.Join("config", "default", "kustomization.yaml"), crds[0].File)
	safefstest.WriteFiles(t, root, map[string]string{"config/default/account.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: another}\n"})
	names, _ = read()
	assert.Equal(t, []string{"orders.certs.example.com", "another"}, names)
	assert.Contains(t, s.files(), "config/default/account.yaml")
}

// A run that is recorded reads the metrics, without the credentials that a program asks for in a cluster.
func TestManagerServesMetricsToTheRecording(t *testing.T) {
	m, err := newProgram(&mainpkg.Program{Flags: map[string]mainpkg.Flag{"metrics-bind-address": {}, "metrics-secure": {Bool: true}}}, t.TempDir(), false)
	require.NoError(t, err)
	assert.Equal(t, []string{"--metrics-bind-address=" + m.metrics}, m.args(nil))
	m.recorded = true
	assert.Equal(t, []string{"--metrics-bind-address=" + m.metrics, "--metrics-secure=false"}, m.args(nil))
	m.source.Flags = map[string]mainpkg.Flag{"diagnostics-address": {}, "insecure-diagnostics": {Bool: true}}
	assert.Equal(t, []string{"--diagnostics-address=" + m.metrics, "--insecure-diagnostics=true"}, m.args(nil), "as Cluster API calls them")
}
