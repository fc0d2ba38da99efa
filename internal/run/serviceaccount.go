// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/ui"
)

const (
	// tokenLife outlasts any run. The API server of kept data takes the token for as long, so it goes with the run's directory.
	tokenLife = 365 * 24 * time.Hour
	// grantPatience is how long the API server may take to hear of roles that it has stored.
	grantPatience = 10 * time.Second
	// aggregationPatience is how long roles may take that are aggregated from others.
	aggregationPatience = 3 * time.Second
)

// ParseAccount reads "NAMESPACE/NAME".
func ParseAccount(text string) (rbacaudit.Account, error) {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
		return rbacaudit.Account{}, fmt.Errorf("%q is not a service account; write NAMESPACE/NAME, for example default/controller", text)
	}
	return rbacaudit.Account{Namespace: namespace, Name: name}, nil
}

// Accounts returns the service accounts in the manifests of the project's controller, in the form that ParseAccount reads.
func Accounts(root string, p *config.Project) (all []string) {
	objects, _ := newSources(root).read(p.Controller.Manifests) // those that can be read
	for _, o := range objects {
		if o.GetKind() == "ServiceAccount" {
			all = append(all, cmp.Or(o.GetNamespace(), metav1.NamespaceDefault)+"/"+o.GetName())
		}
	}
	return all
}

// identity is who the controller is: a service account whose roles are the project's own.
type identity struct {
	account rbacaudit.Account
	client  kubernetes.Interface
	refused map[rbacaudit.Request]bool // that have been said
}

// newIdentity checks that the account exists and that its roles hold, and makes the API server count what it asks for.
func newIdentity(ctx context.Context, config *rest.Config, account rbacaudit.Account, manifests []string) (*identity, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for the service account: %w", err)
	}
	_, err = client.CoreV1().ServiceAccounts(account.Namespace).Get(ctx, account.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("service account %s/%s does not exist; add its manifest to controller.manifests in crdctl.yaml (now: %s)",
			account.Namespace, account.Name, orNone(manifests))
	}
	if err != nil {
		return nil, fmt.Errorf("get the service account %s/%s: %w", account.Namespace, account.Name, err)
	}
	grants, err := grantsOf(ctx, client, account)
	if err != nil {
		return nil, err
	}
	if len(grants) == 0 {
		return nil, fmt.Errorf("service account %s/%s is not bound to an existing role; add the manifests of role and binding to controller.manifests in crdctl.yaml (now: %s)",
			account.Namespace, account.Name, orNone(manifests))
	}
	if err := awaitGrants(ctx, client, account, grants); err != nil {
		return nil, err
	}
	return &identity{account: account, client: client, refused: map[rbacaudit.Request]bool{}},
		rbacaudit.Reset(ctx, client.Discovery().RESTClient(), account.User())
}

// grantsOf waits a little for roles that Kubernetes makes of others.
func grantsOf(ctx context.Context, client kubernetes.Interface, account rbacaudit.Account) (grants []rbacaudit.Grant, err error) {
	ctx, cancel := context.WithTimeout(ctx, aggregationPatience)
	defer cancel()
	_ = wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		var found []rbacaudit.Grant
		if found, err = rbacaudit.Grants(ctx, client.RbacV1(), account); err == nil {
			grants = found
		}
		return len(grants) > 0, err
	})
	if len(grants) > 0 || errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return grants, err
}

func orNone(manifests []string) string {
	if len(manifests) == 0 {
		return "none"
	}
	return strings.Join(manifests, ", ")
}

// awaitGrants waits until the API server's authorizer has heard of the roles, so that the controller's first requests are
// not refused for what it may do.
func awaitGrants(ctx context.Context, client kubernetes.Interface, account rbacaudit.Account, grants []rbacaudit.Grant) error {
	for _, g := range grants {
		review := &authorizationv1.SubjectAccessReview{Spec: g.Review(account)}
		err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, grantPatience, true, func(ctx context.Context) (bool, error) {
			answer, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			return err == nil && answer.Status.Allowed, err
		})
		if err != nil {
			return fmt.Errorf("wait for %s to take effect: %w", g.Role, err)
		}
	}
	return nil
}

// kubeconfig writes a kubeconfig with a token of the account into dir.
func (i *identity) kubeconfig(ctx context.Context, dir, admin string) (string, error) {
	life := int64(tokenLife.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &life}}
	answer, err := i.client.CoreV1().ServiceAccounts(i.account.Namespace).CreateToken(ctx, i.account.Name, request, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("make a token of %s/%s: %w", i.account.Namespace, i.account.Name, err)
	}
	tokenFile := filepath.Join(dir, "token")
	if err := os.WriteFile(tokenFile, []byte(answer.Status.Token), 0o600); err != nil {
		return "", err
	}
	return writeKubeconfig(dir, admin, func(user *clientcmdapi.AuthInfo, context *clientcmdapi.Context) {
		user.Token, user.TokenFile = "", tokenFile // which clients read again, when it changes
		context.Namespace = i.account.Namespace
	})
}

// writeKubeconfig writes a kubeconfig into dir that is another one with a changed user and context, and returns its path.
func writeKubeconfig(dir, admin string, change func(*clientcmdapi.AuthInfo, *clientcmdapi.Context)) (string, error) {
	config, err := clientcmd.LoadFromFile(admin)
	if err != nil {
		return "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	for _, context := range config.Contexts {
		if user := config.AuthInfos[context.AuthInfo]; user != nil {
			change(user, context)
		}
	}
	content, err := clientcmd.Write(*config)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "kubeconfig")
	return file, os.WriteFile(file, content, 0o600)
}

// news says each refusal once, when it is new.
func (i *identity) news(ctx context.Context, reporter ui.Reporter) {
	used, err := rbacaudit.Fetch(ctx, i.client.Discovery().RESTClient(), i.account.User())
	if err != nil {
		return // the report at the end says so
	}
	for _, t := range used.Tallies {
		t.Name = ""
		if t.Refused > 0 && !i.refused[t.Request] {
			i.refused[t.Request] = true
			reporter.Note("the API server refused %s/%s: %s", i.account.Namespace, i.account.Name, t.Request)
		}
	}
}

// report says which permissions the controller lacked, and which it had for nothing.
func (i *identity) report(ctx context.Context, markers bool, reporter ui.Reporter) error {
	used, err1 := rbacaudit.Fetch(ctx, i.client.Discovery().RESTClient(), i.account.User())
	grants, err2 := rbacaudit.Grants(ctx, i.client.RbacV1(), i.account)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for _, line := range rbacaudit.Compare(used, grants).Lines(i.account, markers) {
		reporter.Note("%s", line)
	}
	return nil
}
