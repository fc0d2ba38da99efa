package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// validity is how long before and after its making a certificate holds: the clocks of virtual machines jump, and a
// control plane that keeps its data keeps its certificate. renewal is what must be left of it at a start.
const (
	validity = 10 * 365 * 24 * time.Hour
	renewal  = 365 * 24 * time.Hour
)

// ServingCertificate is what a server of this machine shows, and what its clients trust it by. All are PEM.
type ServingCertificate struct{ CA, Cert, Key []byte }

// NewServingCertificate makes an authority, lets it sign one certificate for this machine's loopback address and for
// the names, and forgets its key.
func NewServingCertificate(names ...string) (*ServingCertificate, error) {
	caKey, err := newKey()
	if err != nil {
		return nil, err
	}
	authority := certificate("crdctl-ca")
	authority.IsCA, authority.BasicConstraintsValid = true, true
	authority.KeyUsage |= x509.KeyUsageCertSign
	ca, err := x509.CreateCertificate(rand.Reader, authority, authority, &caKey.PublicKey, caKey)
	if err != nil {
		return nil, err
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	leaf := certificate("crdctl-server")
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leaf.IPAddresses, leaf.DNSNames = []net.IP{loopback()}, append([]string{"localhost"}, names...)
	if authority, err = x509.ParseCertificate(ca); err != nil { // the issuer's key id is computed on creation
		return nil, err
	}
	cert, err := x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, caKey)
	if err != nil {
		return nil, err
	}
	keyPEM, err := pemKey(key)
	return &ServingCertificate{CA: pemBlock("CERTIFICATE", ca), Cert: pemBlock("CERTIFICATE", cert), Key: keyPEM}, err
}

func certificate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-validity),
		NotAfter:     now.Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
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

func loopback() net.IP { return net.IPv4(127, 0, 0, 1) }
