package goname

import "testing"

func TestOf(t *testing.T) {
	for property, want := range map[string]string{
		"cronSpec": "CronSpec", "podIPs": "PodIPs", "serverURL": "ServerURL", "caBundle": "CABundle", "x-kubernetes-cidr": "XKubernetesCIDR",
		"type": "Type", "3d": "X3d", "日本": "X日本", "": "X", "1.3": "X13",
	} {
		if got := Of(property); got != want {
			t.Errorf("%q is %s, want %s", property, got, want)
		}
	}
}

func TestSingular(t *testing.T) {
	for property, want := range map[string]string{
		"ports": "Port", "podCIDRs": "PodCIDR", "policies": "Policy", "data": "Datum", "status": "Status", "tls": "TLS", "ips": "IP", "1": "1",
	} {
		if got := Singular(property); got != want {
			t.Errorf("%q is %s, want %s", property, got, want)
		}
	}
}
