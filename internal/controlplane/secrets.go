package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// adminUser is a member of system:masters, which the API server lets do everything before any role exists.
const adminUser = "crdctl-admin"

// secrets are made anew for each control plane. The files lie in its private directory and go with it.
type secrets struct {
	ca         []byte // PEM; the key of this authority is never written, so it signs nothing else
	token      string // 256 random bits
	tokenFile  string
	cert       string
	key        string
	signingKey string // of service account tokens
}

func newSecrets(dir string) (*secrets, error) {
	s := &secrets{
		tokenFile:  filepath.Join(dir, "tokens.csv"),
		cert:       filepath.Join(dir, "tls.crt"),
		key:        filepath.Join(dir, "tls.key"),
		signingKey: filepath.Join(dir, "service-account.key"),
	}
	ca, cert, key, err := newServingCertificate()
	if err != nil {
		return nil, fmt.Errorf("make the serving certificate: %w", err)
	}
	signingKey, err := newKey()
	if err != nil {
		return nil, fmt.Errorf("make the service account key: %w", err)
	}
	s.ca = pemBlock("CERTIFICATE", ca)
	random := make([]byte, 32)
	rand.Read(random) // never fails: it ends the process instead
	s.token = hex.EncodeToString(random)

	keyPEM, err := pemKey(key)
	if err != nil {
		return nil, err
	}
	signingKeyPEM, err := pemKey(signingKey)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		s.tokenFile:  fmt.Appendf(nil, "%s,%s,%s,\"system:masters\"\n", s.token, adminUser, adminUser),
		s.cert:       pemBlock("CERTIFICATE", cert),
		s.key:        keyPEM,
		s.signingKey: signingKeyPEM,
	}
	for path, content := range files {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, fmt.Errorf("write secrets: %w", err)
		}
	}
	return s, nil
}

// kubeconfig returns the file for other programs and the client configuration for this one.
func (s *secrets) kubeconfig(server string) ([]byte, *rest.Config, error) {
	const name = "crdctl"
	k := clientcmdapi.NewConfig()
	k.Clusters[name] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: s.ca}
	k.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: s.token}
	k.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: "default"}
	k.CurrentContext = name
	content, err := clientcmd.Write(*k)
	if err != nil {
		return nil, nil, fmt.Errorf("encode kubeconfig: %w", err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(content)
	if err != nil {
		return nil, nil, fmt.Errorf("decode kubeconfig: %w", err)
	}
	config.QPS = -1 // the server is ours alone
	return content, config, nil
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func pemKey(k *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		return nil, fmt.Errorf("encode key: %w", err)
	}
	return pemBlock("EC PRIVATE KEY", der), nil
}

func pemBlock(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
