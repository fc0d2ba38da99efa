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

	"github.com/crdctl/crdctl/internal/safefs"
)

// AdminUser and ControllerUser are members of system:masters, which the API server lets do everything before any role exists. They differ so
// that requests of a project's controller can be told from those of kubectl and of crdctl.
const (
	AdminUser      = "crdctl-admin"
	ControllerUser = "crdctl-controller"
)

// UserAgent is that of crdctl's own requests to its control planes.
const UserAgent = "crdctl"

const (
	secretsDir = "secrets"
	tokensName = "tokens.csv"
)

// secrets are made anew for each control plane. Where its data are kept they are kept too, so that a kubeconfig, and
// the tokens of service accounts, are good after a restart; otherwise they go with it.
type secrets struct {
	ca    []byte // PEM; the key of this authority is never written, so it signs nothing else
	token string // of AdminUser; 256 random bits
	// controllerToken is that of ControllerUser.
	controllerToken string

	tokenFile, caFile, certFile, keyFile string
	signingKeyFile                       string // of service account tokens
}

// loadSecrets takes the secrets in dir, or makes new ones there if any is missing, broken or about to expire.
func loadSecrets(dir string) (*secrets, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for secrets: %w", err)
	}
	s := &secrets{
		tokenFile: filepath.Join(dir, tokensName), caFile: filepath.Join(dir, "ca.crt"),
		certFile: filepath.Join(dir, "tls.crt"), keyFile: filepath.Join(dir, "tls.key"),
		signingKeyFile: filepath.Join(dir, "service-account.key"),
	}
	if s.read() != nil {
		return s, s.create()
	}
	if s.controllerToken == "" { // a crdctl that had one user made them
		s.controllerToken = newToken()
		return s, s.writeTokens()
	}
	return s, nil
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
	rows, err := os.ReadFile(s.tokenFile)
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
	s.token, s.controllerToken = tokenOf(rows, AdminUser), tokenOf(rows, ControllerUser)
	if s.token == "" {
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
	s.ca, s.token, s.controllerToken = pair.CA, newToken(), newToken()
	contents := map[string][]byte{
		s.tokenFile: s.tokens(),
		s.certFile:  pair.Cert, s.keyFile: pair.Key, s.signingKeyFile: signingKey, s.caFile: pair.CA,
	}
	for _, file := range s.files() {
		if err := writePrivate(file, contents[file]); err != nil {
			return fmt.Errorf("write secrets: %w", err)
		}
	}
	return nil
}

func newToken() string {
	random := make([]byte, 32)
	rand.Read(random) // never fails: it ends the process instead
	return hex.EncodeToString(random)
}

// tokens is the content of the token file, a user a row.
func (s *secrets) tokens() []byte {
	return fmt.Appendf(nil, "%[1]s,%[2]s,%[2]s,\"system:masters\"\n%[3]s,%[4]s,%[4]s,\"system:masters\"\n", s.token, AdminUser, s.controllerToken, ControllerUser)
}

func (s *secrets) writeTokens() error {
	if err := writePrivate(s.tokenFile, s.tokens()); err != nil {
		return fmt.Errorf("write secrets: %w", err)
	}
	return nil
}

// tokenOf returns the token of a user, or "".
func tokenOf(rows []byte, user string) string {
	for row := range strings.Lines(string(rows)) {
		if fields := strings.Split(row, ","); len(fields) > 1 && fields[1] == user {
			return fields[0]
		}
	}
	return ""
}

// ControllerToken returns the credential of ControllerUser from the data directory of a control plane, or "" where a crdctl without that user
// started it.
func ControllerToken(dir *safefs.Dir) (string, error) {
	secrets, err := dir.Sub(secretsDir)
	if err != nil {
		return "", fmt.Errorf("read the controller's credential: %w", err)
	}
	defer func() { _ = secrets.Close() }()
	rows, err := secrets.Read(tokensName, kubeconfigLimit)
	if err != nil {
		return "", fmt.Errorf("read the controller's credential: %w", err)
	}
	return tokenOf(rows, ControllerUser), nil
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
	config.UserAgent = UserAgent
	return content, config, nil
}
