// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// validity is how long before and after its making a certificate holds: the clocks of virtual machines jump, and a
// control plane that keeps its data keeps its certificate. renewal is what must be left of it at a start.
const (
	validity = 10 * 365 * 24 * time.Hour
	renewal  = 365 * 24 * time.Hour
)

// ServingCertificate is what a server of this machine shows, and what its clients trust it by. All are PEM.
type ServingCertificate struct{ CA, CAKey, Cert, Key []byte }

// NewServingCertificate makes an authority, lets it sign one certificate for this machine's loopback address, and forgets
// its key.
func NewServingCertificate() (*ServingCertificate, error) {
	caKey, err := newKey()
	if err != nil {
		return nil, err
	}
	return newServingCertificate("crdctl-ca", caKey)
}

// NewRotatedCertificate makes a certificate for the loopback address and for hosts, with the key of its authority, as a rotator of
// cert-controller takes it for its own: the authority has the rotator's name, and an RSA key.
func NewRotatedCertificate(authority string, hosts ...string) (*ServingCertificate, error) {
	caKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	c, err := newServingCertificate(authority, caKey, hosts...)
	if err == nil {
		c.CAKey, err = keyutil.MarshalPrivateKeyToPEM(caKey)
	}
	return c, err
}

func newServingCertificate(authority string, caKey crypto.Signer, hosts ...string) (*ServingCertificate, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	ca, err := certutil.NewSelfSignedCACert(certutil.Config{CommonName: authority, NotBefore: now.Add(-validity)}, caKey)
	if err != nil {
		return nil, err
	}
	cert, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "crdctl-server"},
		NotBefore:    now.Add(-validity),
		NotAfter:     now.Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:  []net.IP{loopback()},
		DNSNames:     append([]string{"localhost"}, hosts...),
	}, ca, &key.PublicKey, caKey)
	if err != nil {
		return nil, err
	}
	return &ServingCertificate{CA: certificatePEM(ca.Raw), Cert: certificatePEM(cert), Key: keyPEM}, nil
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: certutil.CertificateBlockType, Bytes: der})
}

func loopback() net.IP { return net.IPv4(127, 0, 0, 1) }
