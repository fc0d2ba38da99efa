// SPDX-License-Identifier: Apache-2.0

// Package cluster reads the CRDs of a cluster, and the objects that are stored there.
//
// It only reads, and only from the cluster that the user names. It judges nothing.
package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	page    = 500      // objects in one answer
	largest = 64 << 20 // bytes of one answer; etcd takes objects of 1.5 MiB
)

// Cluster is a cluster that CRDs and objects can be read from.
type Cluster struct {
	Name   string // the context of the kubeconfig
	client *http.Client
	server *url.URL
}

// Open takes a context of a kubeconfig; empty names stand for the kubeconfig that kubectl takes, and for its current context.
func Open(kubeconfig, name string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: name})
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, fmt.Errorf("load the kubeconfig: %w", err)
	}
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) { // the error of client-go names a variable that nothing should use
		return nil, errors.New("there is no kubeconfig; name one with --kubeconfig or KUBECONFIG: that of \"crdctl run\" is .crdctl/kubeconfig in its project")
	}
	if err != nil {
		return nil, fmt.Errorf("load the kubeconfig: %w; name one with --kubeconfig, or a context with --context", err)
	}
	c := &Cluster{Name: cmp.Or(name, raw.CurrentContext)}
	config.Timeout = time.Minute // of each answer: a cluster that is out of reach must not stop a script for good
	if c.client, err = rest.HTTPClientFor(config); err != nil {
		return nil, fmt.Errorf("connect to the cluster of context %s: %w", c.Name, err)
	}
	if c.server, _, err = rest.DefaultServerUrlFor(config); err != nil {
		return nil, fmt.Errorf("connect to the cluster of context %s: %w", c.Name, err)
	}
	return c, nil
}

// CRD is the CRD of a name, as JSON; nil if the cluster has none.
func (c *Cluster) CRD(ctx context.Context, name string) ([]byte, error) {
	data, err := c.get(ctx, nil, "apis", "apiextensions.k8s.io", "v1", "customresourcedefinitions", name)
	if errors.Is(err, errNotFound) {
		return nil, nil
	}
	return data, err
}

// Objects hands out all objects of a CRD, at the version that they are stored in, or another one that is served: a page at a time, of which
// none is kept. It ends with the error of each.
func (c *Cluster) Objects(ctx context.Context, crd *apiextv1.CustomResourceDefinition, each func(page []unstructured.Unstructured) error) error {
	version := ""
	for _, v := range crd.Spec.Versions {
		if v.Served && (version == "" || v.Storage) {
			version = v.Name
		}
	}
	if version == "" {
		return nil
	}
	limit, query := page, url.Values{}
	for {
		query.Set("limit", strconv.Itoa(limit))
		data, err := c.get(ctx, query, "apis", crd.Spec.Group, version, crd.Spec.Names.Plural)
		var expired expiredError
		switch {
		case errors.Is(err, errTooLarge) && limit > 1:
			limit /= 2
			continue
		case errors.As(err, &expired): // the page before took longer than etcd keeps a revision
			query.Set("continue", string(expired))
			continue
		case err != nil:
			return fmt.Errorf("list the objects of %s: %w", crd.Name, err)
		}
		var list unstructured.UnstructuredList
		if err := list.UnmarshalJSON(data); err != nil {
			return fmt.Errorf("list %s: %w", crd.Name, err)
		}
		if err := each(list.Items); err != nil {
			return err
		}
		if list.GetContinue() == "" {
			return nil
		}
		query.Set("continue", list.GetContinue())
	}
}

var (
	errNotFound = errors.New("not found")
	errTooLarge = errors.New("the answer is too large")
)

// expiredError is the error of a list whose next page is no longer known as it was. It is where the API server goes on, with the objects as they are
// now.
type expiredError string

func (expiredError) Error() string { return "the list has expired" }

// get reads a path of the API server.
func (c *Cluster) get(ctx context.Context, query url.Values, path ...string) ([]byte, error) {
	at := c.server.JoinPath(path...)
	at.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("read from the cluster of context %s: %w; check that it runs, or name another with --context", c.Name, err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(response.Body, largest+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read from the cluster of context %s: %w", c.Name, err)
	case len(data) > largest:
		return nil, fmt.Errorf("read from the cluster of context %s: %s has more than %d bytes: %w", c.Name, at.Path, largest, errTooLarge)
	case response.StatusCode == http.StatusNotFound:
		return nil, errNotFound
	case response.StatusCode != http.StatusOK:
		var status metav1.Status
		if json.Unmarshal(data, &status) != nil || status.Message == "" {
			status.Message = response.Status
		}
		if status.Reason == metav1.StatusReasonExpired && status.Continue != "" && status.Continue != query.Get("continue") {
			return nil, expiredError(status.Continue)
		}
		return nil, fmt.Errorf("read from the cluster of context %s: %s; use a context that may get and list it", c.Name, status.Message)
	}
	return data, nil
}
