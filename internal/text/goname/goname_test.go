// SPDX-License-Identifier: Apache-2.0

package goname

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOf(t *testing.T) {
	for property, want := range map[string]string{
		"cronSpec": "CronSpec", "podIPs": "PodIPs", "serverURL": "ServerURL", "caBundle": "CABundle", "x-kubernetes-cidr": "XKubernetesCIDR",
		"type": "Type", "3d": "X3d", "日本": "X日本", "": "X", "1.3": "X13",
	} {
		assert.Equal(t, want, Of(property), property)
	}
}

func TestSingular(t *testing.T) {
	for property, want := range map[string]string{
		"ports": "Port", "podCIDRs": "PodCIDR", "policies": "Policy", "data": "Datum", "status": "Status", "tls": "TLS", "ips": "IP", "1": "1",
	} {
		assert.Equal(t, want, Singular(property), property)
	}
}
