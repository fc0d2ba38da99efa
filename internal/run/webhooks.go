// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/pod"
)

const (
	// webhookPortVar and webhookCertVar tell the controller where to serve its webhooks, and the directory with the tls.crt
	// and tls.key that the API server trusts.
	webhookPortVar = "CRDCTL_WEBHOOK_PORT"
	webhookCertVar = "CRDCTL_WEBHOOK_CERT_DIR"
)

// webhooks lets the API server reach the controller's webhooks, which manifests know as a service in a cluster: that
// becomes a port of this machine, and a certificate of this run.
type webhooks struct {
	port    int
	certDir string
	ca      string // base64, as manifests have it
	// secret is what a rotator of the controller's keeps, and leaves as it is; nil where it has none.
	secret map[string]string
}

// newWebhooks makes a certificate in certDir, and picks a port unless one is given.
func newWebhooks(certDir string, port int) (*webhooks, error) {
	w := &webhooks{port: port, certDir: certDir}
	pair, err := controlplane.NewServingCertificate()
	if err == nil {
		err = w.keep(pair)
	}
	if err != nil {
		return nil, fmt.Errorf("make the certificate of the webhooks: %w", err)
	}
	if w.port == 0 {
		w.port, err = freePort()
	}
	return w, err
}

func (w *webhooks) keep(pair *controlplane.ServingCertificate) error {
	w.ca = base64.StdEncoding.EncodeToString(pair.CA)
	if err := os.MkdirAll(w.certDir, 0o700); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"tls.crt": pair.Cert, "tls.key": pair.Key, "ca.crt": pair.CA} {
		if err := os.WriteFile(filepath.Join(w.certDir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// rotate makes another certificate, which a rotator with this authority takes for one that it made for these hosts. There is nothing to
// renew for it, so the certificate stays the one that is in certDir.
func (w *webhooks) rotate(authority string, hosts []string) error {
	pair, err := controlplane.NewRotatedCertificate(authority, hosts...)
	if err == nil {
		err = w.keep(pair)
	}
	if err != nil {
		return fmt.Errorf("make the certificate of the webhooks: %w", err)
	}
	w.secret = map[string]string{}
	for name, content := range map[string][]byte{"ca.crt": pair.CA, "ca.key": pair.CAKey, "tls.crt": pair.Cert, "tls.key": pair.Key} {
		w.secret[name] = base64.StdEncoding.EncodeToString(content)
	}
	return nil
}

// The ports among which freePort looks: systems hand out higher ones, and clusters have services on those from 30000 on.
const firstPort, lastPort = 20000, 29999

// freePort is free now. The controller takes it after it is built, which takes minutes the first time: meanwhile no program gets the port that
// asks the system for any.
func freePort() (port int, err error) {
	for range 100 {
		port = firstPort + rand.IntN(lastPort-firstPort+1) //nolint:gosec // it is not a secret
		var l net.Listener
		if l, err = net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("find a free port: %w", err)
}

// portTaken is why the controller may end, if the port on which it is expected to serve webhooks is fixed and not free before it starts.
func (i *installer) portTaken() string {
	if i.program == nil || i.program.webhookPort() == 0 {
		return ""
	}
	port := strconv.Itoa(i.webhookPort())
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
	if err == nil {
		_ = l.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		return ""
	}
	return "; if it serves webhooks on port " + port + ", it cannot, because another program has that port: stop that program"
}

func (w *webhooks) env() []string {
	return []string{webhookPortVar + "=" + strconv.Itoa(w.port), webhookCertVar + "=" + w.certDir}
}

// webhookKinds are what holds webhooks, other than CRDs.
var webhookKinds = []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}

// caFromSecret is the annotation with which cert-manager copies an authority from a Secret.
const caFromSecret = "cert-manager.io/inject-ca-from-secret" //nolint:gosec // an annotation's name

// withoutUncalled leaves out webhooks that nothing serves where this API server would call them, so that it would refuse each of their objects.
func (i *installer) withoutUncalled(objects, all []manifest.Object, workload manifest.Object) (others []manifest.Object) {
	var skipped []string
	for _, o := range objects {
		if why := i.uncallable(o, all, workload); why != "" {
			skipped = append(skipped, fmt.Sprintf("skipped %s/%s, whose webhooks are not called: %s", strings.ToLower(o.GetKind()), o.GetName(), why))
			continue
		}
		others = append(others, o)
	}
	if lines := strings.Join(skipped, "\n"); lines != i.uncalled {
		i.uncalled = lines
		for _, line := range skipped {
			i.reporter.Note("%s", line)
		}
	}
	return others
}

// uncallable is why the webhooks of a configuration cannot be called; "" for other objects. The controller may make their certificates itself, for the
// name of a service: its pod mounts no Secret then. Or the pods of another workload serve them.
func (i *installer) uncallable(o manifest.Object, all []manifest.Object, workload manifest.Object) string {
	if !slices.Contains(webhookKinds, o.GetKind()) {
		return ""
	}
	template, _ := pod.TemplateOf(workload)
	if o.GetAnnotations()[caFromSecret] != "" && !slices.ContainsFunc(template.Spec.Volumes, hasSecret) {
		return "the controller makes their certificates itself (" + caFromSecret + "), for a service that is unreachable from here"
	}
	server, program := "", pod.ProgramName(i.Root, i.Project.Controller.Package)
	hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
	for _, h := range hooks {
		hook, _ := h.(map[string]any)
		name, _, _ := unstructured.NestedString(hook, "clientConfig", "service", "name")
		namespace, _, _ := unstructured.NestedString(hook, "clientConfig", "service", "namespace")
		by := servedBy(all, namespace, name, template.Labels)
		if by == nil || pod.RunsProgram(*by, program) && !pod.RunsProgram(workload, program) { // it is the controller, though it does not look like one
			return ""
		}
		server = strings.ToLower(by.GetKind()) + "/" + by.GetName()
	}
	if server == "" {
		return ""
	}
	return server + " serves them, which does not run here"
}

func hasSecret(v corev1.Volume) bool {
	return v.Secret != nil || v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(s corev1.VolumeProjection) bool { return s.Secret != nil })
}

// servedBy is the workload that a service leads to; nil if that has the pod labels of the controller, or is not known.
func servedBy(all []manifest.Object, namespace, name string, own map[string]string) *manifest.Object {
	for _, o := range all {
		if o.GetKind() != "Service" || o.GetName() != name || o.GetNamespace() != namespace {
			continue
		}
		words, _, _ := unstructured.NestedStringMap(o.Object, "spec", "selector")
		selector := labels.SelectorFromSet(words)
		if len(words) == 0 || selector.Matches(labels.Set(own)) {
			return nil
		}
		for i, w := range all {
			if template, ok := pod.TemplateOf(w); ok && pod.IsWorkload(w) && w.GetNamespace() == namespace && selector.Matches(labels.Set(template.Labels)) {
				return &all[i]
			}
		}
	}
	return nil
}

// adapt points the webhooks of a configuration to this machine; other objects stay as they are.
func (w *webhooks) adapt(o *unstructured.Unstructured) error {
	if !slices.Contains(webhookKinds, o.GetKind()) {
		return nil
	}
	hooks, found, err := unstructured.NestedSlice(o.Object, "webhooks")
	if err != nil || !found {
		return err
	}
	for _, h := range hooks {
		hook, ok := h.(map[string]any)
		if !ok {
			return errors.New("webhooks: an entry is not an object")
		}
		config, _, err := unstructured.NestedMap(hook, "clientConfig")
		if err != nil {
			return err
		}
		if w.redirect(config) {
			hook["clientConfig"] = config
		}
	}
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[controlplane.RunLabel] = "yes" // to be found when the run has ended
	o.SetLabels(labels)
	return unstructured.SetNestedSlice(o.Object, hooks, "webhooks")
}

// adaptCRDs points the conversion webhooks of CRDs to this machine. Those that it changes are copies.
func (w *webhooks) adaptCRDs(crds []manifest.CRD) []manifest.CRD {
	all := slices.Clone(crds)
	for i, c := range all {
		conversion := c.Spec.Conversion
		if conversion == nil || conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil || conversion.Webhook.ClientConfig.Service == nil {
			continue
		}
		all[i].CustomResourceDefinition = c.DeepCopy()
		client := all[i].Spec.Conversion.Webhook.ClientConfig
		servicePath := ""
		if client.Service.Path != nil {
			servicePath = *client.Service.Path
		}
		u := w.url(servicePath)
		ca, _ := base64.StdEncoding.DecodeString(w.ca) // made by us
		client.Service, client.URL, client.CABundle = nil, &u, ca
	}
	return all
}

// redirect reports whether it changed the client configuration of a webhook. One with a URL is left alone.
func (w *webhooks) redirect(config map[string]any) bool {
	service, ok := config["service"].(map[string]any)
	if !ok {
		return false
	}
	servicePath, _ := service["path"].(string)
	delete(config, "service")
	config["url"], config["caBundle"] = w.url(servicePath), w.ca
	return true
}

func (w *webhooks) url(servicePath string) string {
	u := url.URL{Scheme: "https", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(w.port)), Path: path.Join("/", servicePath)}
	return u.String()
}
