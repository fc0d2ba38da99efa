// SPDX-License-Identifier: Apache-2.0

// Package quietetcd keeps the API server's etcd clients from writing to stderr. Import it for that effect.
//
// It is not the logger of etcd itself, which takes one as an option. The clients' logger is a package variable
// of k8s.io/apiserver/pkg/storage/storagebackend/factory, made by that package's init from etcd's default
// configuration: there is no option, and its environment variable cannot turn it off. Hence an init here, the
// one way to be earlier: Go initialises packages in the order of their import paths as soon as their imports
// are ready, so this one precedes k8s.io/...; the two share the import that makes both ready.
package quietetcd

import "go.etcd.io/etcd/client/pkg/v3/logutil"

func init() {
	logutil.DefaultZapLoggerConfig.OutputPaths = nil // no output at all
}
