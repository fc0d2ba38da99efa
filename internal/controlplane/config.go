package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/crdctl/crdctl/internal/controlplane/access"
)

const serviceRange = "10.96.0.0/16"

// serverConfig turns the flags that a kube-apiserver of this kind would get into its configuration.
func serverConfig(l *listener, s *secrets, etcdSocket string, recorder *access.Recorder) (app.CompletedConfig, error) {
	o := serverOptions(l, s, etcdSocket)
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
	config, err := app.NewConfig(completed)
	if err != nil {
		return app.CompletedConfig{}, fmt.Errorf("configure the API server: %w", err)
	}
	kube := config.KubeAPIs.ControlPlane.Generic
	kube.DisabledPostStartHooks.Insert(disabledHooks()...)
	for _, g := range []*genericapiserver.Config{kube, &config.Aggregator.GenericConfig.Config} {
		g.EffectiveVersion = releasedVersion{g.EffectiveVersion}
	}
	// All requests come through the aggregator; the servers behind it ask their own authorizers about other questions.
	outer := &config.Aggregator.GenericConfig.Authorization
	outer.Authorizer = recorder.Listen(outer.Authorizer)
	for _, g := range []*genericapiserver.Config{kube, &config.ApiExtensions.GenericConfig.Config} {
		g.Authorization.Authorizer = recorder.ListenForCreation(g.Authorization.Authorizer)
	}
	return config.Complete()
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
	return []string{
		// These two wait a second before their first try, and readiness waits for them: see defaults.
		"rbac/bootstrap-roles",
		"scheduling/bootstrap-system-priority-classes",
		// These write objects that nobody here reads: flow schemas (fairness is off), the certificates of
		// other API servers, the leases by which several API servers know each other, a record of old tokens.
		"priority-and-fairness-config-producer",
		"start-cluster-authentication-info-controller",
		"start-kube-apiserver-identity-lease-controller",
		"start-kube-apiserver-identity-lease-garbage-collector",
		"start-legacy-token-tracking-controller",
	}
}
