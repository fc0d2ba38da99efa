// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/crdctl/crdctl/internal/trace"
)

// admissions are those of a plugin, webhook or URL that were recorded.
func (r *recording) admissions(name string) (all []*trace.Admission) {
	for _, rec := range r.records() {
		if a, ok := rec.Body.(*trace.Admission); ok && a.Name == name {
			all = append(all, a)
		}
	}
	return all
}

// refusal is the first of them that refused. A slow plugin that did not is recorded too.
func (r *recording) refusal(name string) *trace.Admission {
	all := r.admissions(name)
	if i := slices.IndexFunc(all, func(a *trace.Admission) bool { return !a.Allowed }); i >= 0 {
		return all[i]
	}
	return nil
}

// TestRecordOfAdmission holds that refusals of plugins and webhooks, and calls of conversion webhooks are recorded.
func TestRecordOfAdmission(t *testing.T) {
	t.Parallel()
	r := startRecorded(t, "controller", trace.BodiesChanged)
	kubectl := kubernetes.NewForConfigOrDie(r.kubectl)
	server := httptest.NewTLSServer(http.HandlerFunc(convert))
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})

	_, err := kubectl.CoreV1().ConfigMaps("missing").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
	require.Error(t, err)
	url, none := server.URL+"/validate", admissionregistrationv1.SideEffectClassNone
	_, err = kubectl.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "x"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "no.example.com", ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: ca}, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			Rules: []admissionregistrationv1.RuleWithOperations{{Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule: admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}}},
		}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := kubectl.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{})
		assert.ErrorContains(c, err, "no.example.com")
	}, patience, tick)

	things := crd(t, "things", "Thing", "convert.example.com")
	second := *things.Spec.Versions[0].DeepCopy()
	second.Name, second.Storage = "v2", false
	things.Spec.Versions = append(things.Spec.Versions, second)
	url2 := server.URL + "/convert"
	things.Spec.Conversion = &apiextv1.CustomResourceConversion{Strategy: apiextv1.WebhookConverter, Webhook: &apiextv1.WebhookConversion{
		ClientConfig: &apiextv1.WebhookClientConfig{URL: &url2, CABundle: ca}, ConversionReviewVersions: []string{"v1"},
	}}
	require.NoError(t, InstallCRDsPromptly(t.Context(), r.plane.RESTConfig(), things))
	thing := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "convert.example.com/v2", "kind": "Thing", "metadata": map[string]any{"name": "x"}}}
	_, err = dynamic.NewForConfigOrDie(r.kubectl).Resource(schema.GroupVersionResource{Group: "convert.example.com", Version: "v2", Resource: "things"}).Namespace("default").
		Create(t.Context(), thing, metav1.CreateOptions{})
	require.NoError(t, err)

	host := server.Listener.Addr().String()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		if plugin := r.refusal("NamespaceLifecycle"); assert.NotNil(c, plugin) {
			assert.Equal(c, "plugin CREATE", plugin.Type+" "+plugin.Op)
			assert.Contains(c, plugin.Err, `"missing" not found`)
			assert.NotEmpty(c, plugin.Request)
		}
		if webhook := r.refusal("no.example.com"); assert.NotNil(c, webhook) {
			assert.Equal(c, "validating", webhook.Type)
			assert.NotEmpty(c, webhook.Request)
		}
		if all := r.admissions(host + "/convert"); assert.NotEmpty(c, all) {
			conversion := all[len(all)-1]
			assert.Equal(c, "conversion", conversion.Type)
			assert.True(c, conversion.Allowed, conversion.Err)
			assert.Equal(c, 1, conversion.Objects)
			assert.Contains(c, []string{"v1->v2", "v2->v1"}, conversion.Op)
		}
	}, patience, tick)
}

// TestRecordOfWebhooks holds that each call of a webhook is recorded with its time, its answer and its patch, and that one that fails open is
// recorded as such.
func TestRecordOfWebhooks(t *testing.T) {
	t.Parallel()
	r := startRecorded(t, "controller", trace.BodiesNone)
	server := httptest.NewTLSServer(http.HandlerFunc(review))
	defer server.Close()
	gone := httptest.NewTLSServer(http.HandlerFunc(review))
	gone.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	at := func(url string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: ca}
	}
	none, ignore, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Ignore, admissionregistrationv1.Fail
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
	}}
	mutating := func(name, url string) admissionregistrationv1.MutatingWebhook {
		return admissionregistrationv1.MutatingWebhook{
			Name: name, ClientConfig: at(url), Rules: rules, FailurePolicy: &ignore, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}
	}
	validating := func(name, url string, policy admissionregistrationv1.FailurePolicyType) admissionregistrationv1.ValidatingWebhook {
		return admissionregistrationv1.ValidatingWebhook{
			Name: name, ClientConfig: at(url), Rules: rules, FailurePolicy: &policy, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}
	}
	kubectl := kubernetes.NewForConfigOrDie(r.kubectl)
	_, err := kubectl.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "m"}, Webhooks: []admissionregistrationv1.MutatingWebhook{
			mutating("label.example.com", server.URL+"/label"), mutating("teapot.example.com", server.URL+"/teapot"),
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = kubectl.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "v"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{
			validating("allow.example.com", server.URL+"/allow", fail), validating("gone.example.com", gone.URL+"/gone", ignore),
			validating("deny.example.com", server.URL+"/deny", fail),
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := kubectl.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{})
		assert.ErrorContains(c, err, "deny.example.com")
		for _, name := range []string{"label.example.com", "teapot.example.com", "allow.example.com", "gone.example.com", "deny.example.com"} {
			assert.NotEmpty(c, r.admissions(name), name)
		}
	}, patience, tick)

	last := func(name string) *trace.Admission {
		all := r.admissions(name)
		a := all[len(all)-1]
		assert.Equal(t, "CREATE", a.Op, name)
		assert.NotEmpty(t, a.Request, name)
		assert.NotZero(t, a.Began, name)
		assert.NotZero(t, a.Resource, name)
		return a
	}
	label := last("label.example.com")
	assert.Equal(t, "mutating", label.Type)
	assert.True(t, label.Allowed)
	assert.Equal(t, len(labelPatch), label.PatchBytes)
	assert.JSONEq(t, `[{"op":"add","path":"/metadata/labels","value":{"a":"b"}},{"op":"add","path":"/data"}]`, string(label.Patch), "values of data are not recorded without bodies")
	teapot := last("teapot.example.com")
	assert.True(t, teapot.FailedOpen)
	assert.Contains(t, teapot.Err, "418")
	allow := last("allow.example.com")
	assert.Equal(t, "validating", allow.Type)
	assert.True(t, allow.Allowed)
	assert.Empty(t, allow.Err+allow.Reason)
	left := last("gone.example.com")
	assert.True(t, left.FailedOpen)
	assert.False(t, left.Allowed)
	assert.Contains(t, left.Err, "refused")
	deny := last("deny.example.com")
	assert.False(t, deny.Allowed || deny.FailedOpen)
	assert.Empty(t, deny.Err)
	assert.Contains(t, deny.Reason, "not today")
	for _, plugin := range r.admissions("ValidatingAdmissionWebhook") { // that was slow, and called nothing
		assert.NotEqual(t, deny.Request, plugin.Request, "the plugin's own record has nothing that those of the calls lack")
	}
}

const labelPatch = `[{"op":"add","path":"/metadata/labels","value":{"a":"b"}},{"op":"add","path":"/data","value":{"c":"d"}}]`

// review is an admission webhook, which does what its path says.
func review(w http.ResponseWriter, req *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(req.Body).Decode(&review); err != nil || req.URL.Path == "/teapot" {
		http.Error(w, "no", http.StatusTeapot)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: req.URL.Path != "/deny"}
	switch req.URL.Path {
	case "/label":
		patch := admissionv1.PatchTypeJSONPatch
		review.Response.PatchType, review.Response.Patch = &patch, []byte(labelPatch)
	case "/deny":
		review.Response.Result = &metav1.Status{Message: "not today"}
	}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(review); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// convert is a conversion webhook that changes the version alone, and refuses whatever else it is asked.
func convert(w http.ResponseWriter, req *http.Request) {
	var review apiextv1.ConversionReview
	if err := json.NewDecoder(req.Body).Decode(&review); err != nil || req.URL.Path != "/convert" {
		http.Error(w, "no", http.StatusTeapot)
		return
	}
	answer := &apiextv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	for _, raw := range review.Request.Objects {
		var o map[string]any
		if err := json.Unmarshal(raw.Raw, &o); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		o["apiVersion"] = review.Request.DesiredAPIVersion
		answer.ConvertedObjects = append(answer.ConvertedObjects, runtime.RawExtension{Object: &unstructured.Unstructured{Object: o}})
	}
	review.Response, review.Request = answer, nil
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(review); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
