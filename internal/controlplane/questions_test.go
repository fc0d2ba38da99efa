// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"slices"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
)

// TestQuestionsOfTheServers holds that the recorder hears what the servers and admission plugins behind the front ask
// about an account, and nothing of requests in its name.
func TestQuestionsOfTheServers(t *testing.T) {
	c, admin := sharedPlane(t)
	account := rbacaudit.Account{Namespace: newNamespace(t, admin), Name: "asker"}
	create(t, c, account.Namespace, "asker.yaml")
	token, err := admin.CoreV1().ServiceAccounts(account.Namespace).CreateToken(t.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	mine, err := kubernetes.NewForConfig(withToken(c.RESTConfig(), token.Status.Token))
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.Background()
		_ = admin.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Delete(ctx, account.Namespace, metav1.DeleteOptions{})
		_ = admin.AdmissionregistrationV1().ValidatingAdmissionPolicies().Delete(ctx, account.Namespace, metav1.DeleteOptions{})
	})

	more := []rbacv1.PolicyRule{{Verbs: []string{"delete"}, APIGroups: []string{""}, Resources: []string{"nodes"}}}
	eventually(t, "escalate", func(ctx context.Context) error {
		_, err := mine.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: "more-"}, Rules: more}, metav1.CreateOptions{})
		return err
	})
	_, err = mine.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{GenerateName: "more-"},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}}, metav1.CreateOptions{})
	require.True(t, apierrors.IsForbidden(err), "a binding of cluster-admin: %v, want it to be forbidden", err)
	approveOne(t, admin, mine)
	eventually(t, "the policy asks", func(ctx context.Context) error {
		if _, err := mine.CoreV1().ConfigMaps(account.Namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{}); err != nil {
			return err
		}
		if used, err := fetch(ctx, admin, account); err != nil || !slices.Contains(used, "publish maps allowed") {
			return fmt.Errorf("recorded %q (%w)", used, err)
		}
		return nil
	})
	other := c.RESTConfig()
	other.Impersonate = rest.ImpersonationConfig{UserName: account.User()}
	impersonating, err := kubernetes.NewForConfig(other)
	require.NoError(t, err)
	_, err = impersonating.CoreV1().Secrets("kube-system").List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "secrets, in the account's name: %v, want it to be forbidden", err)

	used, err := fetch(t.Context(), admin, account)
	require.NoError(t, err)
	for _, want := range []string{"escalate clusterroles allowed", "bind clusterroles refused", "approve signers allowed", "publish maps allowed"} {
		assert.Contains(t, used, want)
	}
	for _, not := range []string{"list secrets refused", "approve signers refused"} {
		assert.NotContains(t, used, not)
	}
}

// fetch returns what an account asked for, in words.
func fetch(ctx context.Context, admin kubernetes.Interface, account rbacaudit.Account) (all []string, err error) {
	used, err := rbacaudit.Fetch(ctx, admin.Discovery().RESTClient(), account.User())
	for _, t := range used.Tallies {
		if t.Allowed > 0 {
			all = append(all, t.Verb+" "+t.Resource+" allowed")
		}
		if t.Refused > 0 {
			all = append(all, t.Verb+" "+t.Resource+" refused")
		}
	}
	return all, err
}

// approveOne has an account approve a certificate for a signer that it may approve for by the signer's domain.
func approveOne(t *testing.T, admin, mine kubernetes.Interface) {
	t.Helper()
	key, err := newKey()
	require.NoError(t, err)
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "x"}}, key)
	require.NoError(t, err)
	csr, err := admin.CertificatesV1().CertificateSigningRequests().Create(t.Context(), &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), SignerName: "example.com/one",
			Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Test"}}
	_, err = mine.CertificatesV1().CertificateSigningRequests().UpdateApproval(t.Context(), csr.Name, csr, metav1.UpdateOptions{})
	require.NoError(t, err)
}
