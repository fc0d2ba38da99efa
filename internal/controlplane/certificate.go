package controlplane

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"time"
)

// validity outlasts any session; a persistent directory gets new certificates at every start.
const validity = 365 * 24 * time.Hour

// newServingCertificate makes an authority, lets it sign one certificate for this machine's loopback address,
// and forgets its key. All results but the key are DER.
func newServingCertificate() (ca, cert []byte, key *ecdsa.PrivateKey, err error) {
	caKey, err := newKey()
	if err != nil {
		return nil, nil, nil, err
	}
	authority := certificate("crdctl-ca")
	authority.IsCA, authority.BasicConstraintsValid = true, true
	authority.KeyUsage |= x509.KeyUsageCertSign
	if ca, err = x509.CreateCertificate(rand.Reader, authority, authority, &caKey.PublicKey, caKey); err != nil {
		return nil, nil, nil, err
	}
	if key, err = newKey(); err != nil {
		return nil, nil, nil, err
	}
	leaf := certificate("crdctl-apiserver")
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leaf.IPAddresses, leaf.DNSNames = []net.IP{loopback()}, []string{"localhost"}
	if authority, err = x509.ParseCertificate(ca); err != nil { // the issuer's key id is computed on creation
		return nil, nil, nil, err
	}
	cert, err = x509.CreateCertificate(rand.Reader, leaf, authority, &key.PublicKey, caKey)
	return ca, cert, key, err
}

func certificate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour), // clocks of virtual machines jump
		NotAfter:     now.Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func loopback() net.IP { return net.IPv4(127, 0, 0, 1) }
