package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
)

// token is the credential of the sides that have none of their own: for as long as they run, and on this machine only.
const token = "bench"

// door is how to get into a plane that is yet to be started: a port, a certificate, a credential, and the kubeconfig with
// them. That it is known beforehand lets the bench knock from the first moment on.
type door struct{ port, cert, key, tokens, kubeconfig string }

func newDoor(dir string) (door, error) {
	d := door{
		cert: filepath.Join(dir, "tls.crt"), key: filepath.Join(dir, "tls.key"),
		tokens: filepath.Join(dir, "tokens.csv"), kubeconfig: filepath.Join(dir, "kubeconfig"),
	}
	port, err := freePort()
	if err != nil {
		return d, err
	}
	d.port = strconv.Itoa(port)
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return d, err
	}
	for file, content := range map[string][]byte{d.cert: certificate, d.key: key, d.tokens: []byte(token + `,bench,bench,"system:masters"` + "\n")} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return d, err
		}
	}
	config := clientcmdapi.NewConfig()
	// envtest makes its own certificate, so nobody's is looked at.
	config.Clusters["bench"] = &clientcmdapi.Cluster{Server: "https://" + net.JoinHostPort("127.0.0.1", d.port), InsecureSkipTLSVerify: true}
	config.AuthInfos["bench"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["bench"] = &clientcmdapi.Context{Cluster: "bench", AuthInfo: "bench"}
	config.CurrentContext = "bench"
	return d, clientcmd.WriteToFile(*config, d.kubeconfig)
}

// freePort is a port that was free a moment ago.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
