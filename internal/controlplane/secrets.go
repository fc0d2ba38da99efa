// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"
)

// adminUser is a member of system:masters, which the API server lets do everything before any role exists.
const adminUser = "crdctl-admin"

// secrets are made anew for each control plane. Where its data are kept they are kept too, so that a kubeconfig, and
// the tokens of service accounts, are good after a restart; otherwise they go with it.
type secrets struct {
	ca    []byte // PEM; the key of this authority is never written, so it signs nothing else
	token string // 256 random bits

	tokenFile, caFile, certFile, keyFile string
	signingKeyFile                       string // of service account tokens
}

// loadSecrets takes the secrets in dir, or makes new ones there if any is missing, broken or about to expire.
func loadSecrets(dir string) (*secrets, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for secrets: %w", err)
	}
	s := &secrets{
		tokenFile: filepath.Join(dir, "tokens.csv"), caFile: filepath.Join(dir, "ca.crt"),
		certFile: filepath.Join(dir, "tls.crt"), keyFile: filepath.Join(dir, "tls.key"),
		signingKeyFile: filepath.Join(dir, "service-account.key"),
	}
	if s.read() == nil {
		return s, nil
	}
	return s, s.create()
}

func (s *secrets) files() []string {
	return []string{s.tokenFile, s.certFile, s.keyFile, s.signingKeyFile, s.caFile}
}

// read fills in what is not read by the API server itself. An error means that the secrets are of no use.
func (s *secrets) read() error {
	for _, file := range s.files() {
		if err := os.Chmod(file, 0o600); err != nil { // it may have come from a copy
			return err
		}
	}
	row, err := os.ReadFile(s.tokenFile)
	if err != nil {
		return err
	}
	if s.ca, err = os.ReadFile(s.caFile); err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(s.certFile, s.keyFile)
	if err != nil {
		return err
	}
	var found bool
	if s.token, _, found = strings.Cut(string(row), ","); !found {
		return errors.New("no token")
	}
	if time.Until(pair.Leaf.NotAfter) < renewal {
		return errors.New("the certificate expires")
	}
	return nil
}

// create makes all secrets anew. The authority's certificate is written last: without it the others are not taken.
func (s *secrets) create() error {
	pair, err := NewServingCertificate()
	if err != nil {
		return fmt.Errorf("make the serving certificate: %w", err)
	}
	signingKey, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return fmt.Errorf("make the service account key: %w", err)
	}
	random := make([]byte, 32)
	rand.Read(random) // never fails: it ends the process instead
	s.ca, s.token = pair.CA, hex.EncodeToString(random)
	contents := map[string][]byte{
		s.tokenFile: fmt.Appendf(nil, "%s,%s,%s,\"system:masters\"\n", s.token, adminUser, adminUser),
		s.certFile:  pair.Cert, s.keyFile: pair.Key, s.signingKeyFile: signingKey, s.caFile: pair.CA,
	}
	for _, file := range s.files() {
		if err := writePrivate(file, contents[file]); err != nil {
			return fmt.Errorf("write secrets: %w", err)
		}
	}
	return nil
}

// kubeconfig returns the file for other programs and the client configuration for this one.
func (s *secrets) kubeconfig(server string) ([]byte, *rest.Config, error) {
	k := Kubeconfig{Server: server, CA: s.ca, Token: s.token, Namespace: "default"}
	content, err := k.Encode()
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
