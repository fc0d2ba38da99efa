package controlplane

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ownKubeconfig = `apiVersion: v1
kind: Config
clusters:
- name: crdctl
  cluster: {certificate-authority-data: Y2E=, server: "https://127.0.0.1:45998"}
contexts:
- name: crdctl
  context: {cluster: crdctl, namespace: default, user: crdctl}
current-context: crdctl
users:
- name: crdctl
  user: {token: secret}
`

func TestParseKubeconfig(t *testing.T) {
	k, err := ParseKubeconfig([]byte(ownKubeconfig))
	if err != nil || k.Server != "https://127.0.0.1:45998" || string(k.CA) != "ca" || k.Token != "secret" || k.Namespace != "default" {
		t.Fatalf("%+v, %v", k, err)
	}
	for _, change := range [][2]string{
		{"namespace: default", "namespace: mine"}, {"namespace: default, ", ""},
		{"127.0.0.1:45998", "localhost:1"}, {"127.0.0.1:45998", "[::1]:1"}, {"127.0.0.1", "127.0.0.2"},
	} {
		_, err = ParseKubeconfig([]byte(strings.Replace(ownKubeconfig, change[0], change[1], 1)))
		assert.NoError(t, err, change[1])
	}
}

// Each of these would run a program, read a file, or lead to another server.
func TestParseKubeconfigRefuses(t *testing.T) {
	for _, change := range [][2]string{
		{"{token: secret}", `{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, args: [-c, id], interactiveMode: Never}}`},
		{"{token: secret}", `{token: secret, exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}}`},
		{"{token: secret}", `{token: secret, auth-provider: {name: gcp, config: {cmd-path: sh}}}`},
		{"{token: secret}", `{token: secret, tokenFile: /etc/shadow}`},
		{"{token: secret}", `{tokenFile: /etc/shadow}`},
		{"{token: secret}", `{token: secret, client-certificate: x.crt, client-key: x.key}`},
		{"{token: secret}", `{token: secret, username: a, password: b}`},
		{"{token: secret}", `{token: secret, as: root}`},
		{"{token: secret}", `{}`},
		{"https://127.0.0.1:45998", "https://203.0.113.1:45998"},
		{"https://127.0.0.1:45998", "https://example.com:45998"},
		{"https://127.0.0.1:45998", "https://127.0.0.1.example.com:45998"},
		{"https://127.0.0.1:45998", "https://127.0.0.1:1@example.com:1"},
		{"https://127.0.0.1:45998", "https://127.0.0.1:45998/path"},
		{"https://127.0.0.1:45998", "http://127.0.0.1:45998"},
		{"https://127.0.0.1:45998", "https://127.0.0.1"},
		{"certificate-authority-data: Y2E=", "insecure-skip-tls-verify: true"},
		{"certificate-authority-data: Y2E=", "certificate-authority-data: Y2E=, certificate-authority: /etc/ca.crt"},
		{"certificate-authority-data: Y2E=", "certificate-authority-data: Y2E=, proxy-url: \"http://203.0.113.1\""},
		{"certificate-authority-data: Y2E=", "certificate-authority-data: Y2E=, tls-server-name: example.com"},
		{"certificate-authority-data: Y2E=", "certificate-authority: /etc/ca.crt"},
		{"users:\n", "users:\n- {name: other, user: {token: x}}\n"},
		{"contexts:\n", "contexts:\n- {name: other, context: {cluster: crdctl, user: crdctl}}\n"},
		{"clusters:\n", "clusters:\n- {name: other, cluster: {server: \"https://127.0.0.1:1\"}}\n"},
		{"current-context: crdctl", "current-context: other"},
		{"name: crdctl\n  user", "name: other\n  user"},
		{"kind: Config", "kind: Pod"},
		{"apiVersion: v1", "{"},
	} {
		changed := strings.Replace(ownKubeconfig, change[0], change[1], 1)
		require.NotEqual(t, ownKubeconfig, changed, "%q is not in the kubeconfig", change[0])
		k, err := ParseKubeconfig([]byte(changed))
		assert.Error(t, err, "%q is accepted: %+v", change[1], k)
	}
}
