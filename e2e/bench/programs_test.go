// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
)

// controllerRuntime is what crdctl is compared with, and its envtest, as a module and its version.
const controllerRuntime = "sigs.k8s.io/controller-runtime@v0.25.2"

func writeFile(tb testing.TB, file string, content []byte) {
	tb.Helper()
	check(tb, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644)))
}

// unpack writes programs into a module. Here they are not packages, since crdctl's go.mod would have to require
// controller-runtime for them: templates have an ending that is removed.
func unpack(tb testing.TB, module string, dirs ...string) {
	tb.Helper()
	for _, dir := range dirs {
		to := filepath.Join(module, filepath.Base(dir))
		check(tb, os.CopyFS(to, os.DirFS(dir)))
		for _, file := range must(filepath.Glob(filepath.Join(to, "*.tmpl")))(tb) {
			check(tb, os.Rename(file, strings.TrimSuffix(file, ".tmpl")))
		}
	}
}

// buildProgram builds a package of a module. What controller-runtime requires more is written into the go.mod there, which is
// thrown away.
func buildProgram(tb testing.TB, module, binary, pkg string) {
	tb.Helper()
	run(tb, module, environ(), "go", "build", "-mod=mod", "-o", binary, pkg)
}

// buildPlanes builds etcd, kube-apiserver and what starts them in a module that requires what crdctl's own go.mod does, so that
// all sides are made of the same code. It returns the directory of the programs, named as envtest looks for them. The first build
// compiles an API server; the next ones find it in Go's build cache.
func buildPlanes(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	module, bin := filepath.Join(dir, "module"), filepath.Join(dir, "bin")
	unpack(tb, module, "programs/bare", "programs/envtest", "programs/envtestpair")
	for _, name := range []string{"go.mod", "go.sum"} {
		writeFile(tb, filepath.Join(module, name), must(os.ReadFile(filepath.Join(root, name)))(tb))
	}
	goCommand(tb, module, "mod", "edit", "-module=example.com/bench", "-require="+controllerRuntime)
	progress("building kube-apiserver, etcd and what starts them; with an empty build cache that takes minutes")
	for name, pkg := range map[string]string{
		"kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver", "etcd": "go.etcd.io/etcd/server/v3", "bare": "./bare", "envtest": "./envtest",
		"envtestpair": "./envtestpair",
	} {
		buildProgram(tb, module, filepath.Join(bin, name), pkg)
	}
	return bin
}

// token is the credential of the sides that have none of their own: for as long as they run, and on this machine only.
const token = "bench"

// access is how to reach a control plane that is yet to be started, so that it can be asked from the first moment on.
type access struct{ port, cert, key, tokens, kubeconfig string }

func newAccess(tb testing.TB, dir string) access {
	tb.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(tb)
	check(tb, listener.Close()) // the port was free a moment ago
	address := listener.Addr().String()
	_, port, err := net.SplitHostPort(address)
	check(tb, err)
	a := access{port: port, cert: in("tls.crt"), key: in("tls.key"), tokens: in("tokens.csv"), kubeconfig: in("kubeconfig")}
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	check(tb, err)
	for file, content := range map[string][]byte{a.cert: certificate, a.key: key, a.tokens: []byte(token + `,bench,bench,"system:masters"` + "\n")} {
		check(tb, os.WriteFile(file, content, 0o600))
	}
	check(tb, clientcmd.WriteToFile(clientcmdapi.Config{
		// envtest makes its own certificate, so certificates are not checked.
		Clusters:  map[string]*clientcmdapi.Cluster{"bench": {Server: "https://" + address, InsecureSkipTLSVerify: true}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"bench": {Token: token}},
		Contexts:  map[string]*clientcmdapi.Context{"bench": {Cluster: "bench", AuthInfo: "bench"}}, CurrentContext: "bench",
	}, a.kubeconfig))
	return a
}
