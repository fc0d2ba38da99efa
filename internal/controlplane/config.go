// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	apiextensionsapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/webhook"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	kubecontrolplane "k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/pkg/controlplane/apiserver"
	generatedopenapi "k8s.io/kubernetes/pkg/generated/openapi"

	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/controlplane/record"
	"github.com/crdctl/crdctl/internal/trace"
)

const serviceRange = "10.96.0.0/16"

// serverConfig turns the flags that a kube-apiserver of this kind would get into its configuration.
func serverConfig(l *listener, s *secrets, etcdSocket string, seen listeners) (app.CompletedConfig, error) {
	o := serverOptions(l, s, etcdSocket)
	if seen.record != nil {
		o.Admission.GenericAdmission.Decorators = append(admission.Decorators{seen.record}, o.Admission.GenericAdmission.Decorators...)
	}
	// kube-apiserver's command does this before it runs; Complete relies on it.
	if err := o.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return app.CompletedConfig{}, fmt.Errorf("set feature gates: %w", err)
	}
	completed, err := o.Complete(context.Background())
	if err != nil {
		return app.CompletedConfig{}, fmt.Errorf("complete the API server's options: %w", err)
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return app.CompletedConfig{}, fmt.Errorf("validate the API server's options: %w", errors.Join(errs...))
	}
	config, err := newConfig(completed, seen)
	if err != nil {
		return app.CompletedConfig{}, fmt.Errorf("configure the API server: %w", err)
	}
	kube := config.KubeAPIs.ControlPlane.Generic
	kube.DisabledPostStartHooks.Insert(disabledHooks()...)
	for _, g := range []*genericapiserver.Config{kube, &config.Aggregator.GenericConfig.Config} {
		g.EffectiveVersion = releasedVersion{g.EffectiveVersion}
	}
	// All requests come through the aggregator's handlers.
	outer := &config.Aggregator.GenericConfig.Config
	build := outer.BuildHandlerChainFunc
	outer.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		return seen.access.Follow(seen.record.Follow(build(seen.record.Inside(handler), c)))
	}
	isLong := outer.LongRunningFunc
	outer.LongRunningFunc = func(r *http.Request, info *request.RequestInfo) bool {
		return info.Path == trace.Path || isLong(r, info)
	}
	return config.Complete()
}

// listeners hear of all requests and change none.
type listeners struct {
	access *rbacaudit.Recorder
	record *record.Recorder // nil for none
}

// newConfig is app.NewConfig with an authorizer that the listeners hear, from the beginning: admission plugins keep the one
// that they are made with.
func newConfig(opts options.CompletedOptions, seen listeners) (*app.Config, error) {
	schemes := []*runtime.Scheme{legacyscheme.Scheme, apiextensionsapiserver.Scheme, aggregatorscheme.Scheme}
	generic, informers, storage, err := apiserver.BuildGenericConfig(
		opts.CompletedOptions, schemes, kubecontrolplane.DefaultAPIResourceConfigSource(), generatedopenapi.GetOpenAPIDefinitions, opts.InformerName)
	if err != nil {
		return nil, err
	}
	generic.Authorization.Authorizer = seen.record.Listen(seen.access.Listen(generic.Authorization.Authorizer))
	c := &app.Config{Options: opts}
	kube, services, initializers, err := app.CreateKubeAPIServerConfig(opts, generic, informers, storage)
	if err != nil {
		return nil, err
	}
	c.KubeAPIs = kube
	plane := kube.ControlPlane
	webhooks := webhook.NewDefaultAuthenticationInfoResolverWrapper(plane.ProxyTransport, plane.Generic.EgressSelector, plane.Generic.LoopbackClientConfig, plane.Generic.TracerProvider)
	c.ApiExtensions, err = apiserver.CreateAPIExtensionsConfig(*plane.Generic, plane.VersionedInformers, initializers, opts.CompletedOptions, opts.MasterCount, services, seen.record.Convert(webhooks))
	if err != nil {
		return nil, err
	}
	c.Aggregator, err = apiserver.CreateAggregatorConfig(*plane.Generic, opts.CompletedOptions, plane.VersionedInformers, services, plane.ProxyTransport, plane.PeerProxy, initializers)
	return c, err
}

func serverOptions(l *listener, s *secrets, etcdSocket string) *options.ServerRunOptions {
	o := options.NewServerRunOptions()
	o.SecureServing.Listener = l
	o.SecureServing.BindAddress, o.SecureServing.BindPort = loopback(), l.Addr().(*net.TCPAddr).Port
	o.SecureServing.ExternalAddress = loopback()
	o.SecureServing.ServerCert.CertKey.CertFile = s.certFile
	o.SecureServing.ServerCert.CertKey.KeyFile = s.keyFile
	o.GenericServerRunOptions.AdvertiseAddress = loopback()
	o.EndpointReconcilerType = "none" // a loopback address may not be an endpoint of the "kubernetes" service
	o.ServiceClusterIPRanges = serviceRange
	o.AllowPrivileged = true // nothing runs; refusing such a pod would only differ from common clusters

	o.Etcd.StorageConfig.Transport.ServerList = []string{"unix://" + etcdSocket}

	o.Authentication.Anonymous.Allow = false
	o.Authentication.TokenFile.TokenFile = s.tokenFile
	o.Authentication.ServiceAccounts.Issuers = []string{"https://kubernetes.default.svc"}
	o.Authentication.ServiceAccounts.KeyFiles = []string{s.signingKeyFile}
	o.ServiceAccountSigningKeyFile = s.signingKeyFile
	o.Authorization.Modes = []string{"RBAC"}

	// It gives volume claims a finalizer that a controller takes away which is not among those here: none could be deleted.
	o.Admission.GenericAdmission.DisablePlugins = append(o.Admission.GenericAdmission.DisablePlugins, "StorageObjectInUseProtection")

	// Fairness between many clients costs every request, and here is one.
	o.Features.EnablePriorityAndFairness = false
	o.GenericServerRunOptions.MaxRequestsInFlight = 0
	o.GenericServerRunOptions.MaxMutatingRequestsInFlight = 0
	o.Features.EnableProfiling = false
	return o
}

// disabledHooks are what the API server would start and this package does otherwise or does without.
func disabledHooks() []string {
	return append(slowHooks(),
		// These write objects that no client here reads: flow schemas (fairness is off), the certificates of
		// other API servers, the leases by which several API servers know each other, a record of old tokens.
		"priority-and-fairness-config-producer",
		"start-cluster-authentication-info-controller",
		"start-kube-apiserver-identity-lease-controller",
		"start-kube-apiserver-identity-lease-garbage-collector",
		"start-legacy-token-tracking-controller",
	)
}

// slowHooks wait a second before their first try, and readiness waits for them: see createDefaults.
func slowHooks() []string {
	return []string{"rbac/bootstrap-roles", "scheduling/bootstrap-system-priority-classes"}
}
