// SPDX-License-Identifier: Apache-2.0

package run

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// certManagement is the field by which a program makes its own certificates, for a name that only a cluster knows.
const certManagement = "internalCertManagement"

// configFile adapts a configuration file of the controller, in the form that controller-runtime had for these and that projects keep
// (health, metrics, webhook, leaderElection), or in Gardener's (server, leaderElection), to this machine. Only what the file has, if as a comment, is
// changed; changed names it. Other files stay.
func (p *program) configFile(content string, webhookPort int) (adapted string, changed []string) {
	var config map[string]any
	if yaml.Unmarshal([]byte(content), &config) != nil || !strings.Contains(content, "apiVersion:") || !strings.Contains(content, "kind:") {
		return content, nil
	}
	set := func(value any, field string) {
		path := strings.Split(field, ".")
		if was, found, err := unstructured.NestedFieldNoCopy(config, path...); err == nil && found && was != value {
			_ = unstructured.SetNestedField(config, value, path...) // its parents are there
			changed = append(changed, field)
		}
	}
	set(p.probes, "health.healthProbeBindAddress")
	set(p.metrics, "metrics.bindAddress")
	set(false, "leaderElection.leaderElect")
	set(false, "leaderElection.enabled")
	if !p.rotates {
		set(false, certManagement+".enable")
	}
	// Where the file has it in a comment, the program does it unless told otherwise.
	if _, said := config[certManagement]; !p.rotates && !said && strings.Contains(content, certManagement+":") {
		config[certManagement] = map[string]any{"enable": false}
		changed = append(changed, certManagement+".enable")
	}
	if webhook, ok := config["webhook"].(map[string]any); ok {
		webhook["port"], webhook["certDir"] = int64(webhookPort), p.certDir()
		changed = append(changed, "webhook")
	}
	for field, address := range map[string]string{"metrics": p.metrics, "healthProbes": p.probes, "webhooks": net.JoinHostPort("127.0.0.1", strconv.Itoa(webhookPort))} {
		server, found, err := unstructured.NestedFieldNoCopy(config, "server", field)
		listens, ok := server.(map[string]any)
		if err != nil || !found || !ok || listens["port"] == nil {
			continue
		}
		host, port, _ := net.SplitHostPort(address)
		listens["port"], _ = strconv.ParseInt(port, 10, 64)
		for name, value := range map[string]string{"bindAddress": host, "serverCertDir": p.certDir()} {
			if _, has := listens[name]; has {
				listens[name] = value
			}
		}
		changed = append(changed, "server."+field)
	}
	if len(changed) == 0 {
		return content, nil
	}
	slices.Sort(changed)
	made, err := yaml.Marshal(config)
	if err != nil {
		return content, nil
	}
	return string(made), changed
}
