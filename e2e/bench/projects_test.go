// SPDX-License-Identifier: Apache-2.0

package bench

// project is a public module, and what is generated in it. The clients' flags are kube_codegen.sh's, which are crdctl's.
type project struct {
	name, module, version string
	apiDir, clientDir     string
	flags                 []string
	// edit says after which lines a field is added: that of a type in all its versions, where they are converted.
	edit []place
	// drop are lines that are taken out of both trees before anything else.
	drop []place
	// crds are the directories of the kinds whose manifests are measured against controller-gen's.
	crds []string
}

// place is a line of a file, by what it begins with.
type place struct{ file, line string }

var projects = []project{{
	name: "sample-apiserver", module: "k8s.io/sample-apiserver", version: "v0.37.2",
	apiDir: "pkg/apis", clientDir: "pkg/generated",
	flags: []string{"--with-watch", "--with-applyconfig"},
	edit: []place{
		{"pkg/apis/wardle/types.go", "type FlunderStatus struct {"},
		{"pkg/apis/wardle/v1alpha1/types.go", "type FlunderStatus struct {"},
		{"pkg/apis/wardle/v1beta1/types.go", "type FlunderStatus struct {"},
	},
}, {
	name: "sample-controller", module: "k8s.io/sample-controller", version: "v0.37.1",
	apiDir: "pkg/apis", clientDir: "pkg/generated",
	flags: []string{"--with-watch", "--with-applyconfig"},
	edit:  []place{{"pkg/apis/samplecontroller/v1alpha1/types.go", "type FooSpec struct {"}},
}, {
	name: "gateway-api", module: "sigs.k8s.io/gateway-api", version: "v1.6.3",
	apiDir: ".", clientDir: "pkg/client",
	flags: []string{"--with-watch", "--with-applyconfig"},
	edit:  []place{{"apis/v1/gateway_types.go", "type GatewaySpec struct {"}},
	crds:  []string{"./apis/...", "./apisx/..."},
}, {
	name: "external-snapshotter", module: "github.com/kubernetes-csi/external-snapshotter/client/v8", version: "v8.7.0",
	apiDir: "apis", clientDir: ".",
	flags: []string{"--with-watch"},
	edit:  []place{{"apis/volumesnapshot/v1/types.go", "type VolumeSnapshotSpec struct {"}},
}, {
	name: "k8s-api", module: "k8s.io/api", version: "v0.37.2",
	apiDir: ".", clientDir: "client",
	flags: []string{"--with-watch", "--with-applyconfig", "--prefers-protobuf", "--plural-exceptions", "Endpoints:Endpoints"},
	edit:  []place{{"apps/v1/types.go", "type DeploymentSpec struct {"}},
	// Its validations are generated elsewhere, against packages that the module does not require.
	drop: []place{{"scheduling/v1alpha3/doc.go", "// +k8s:validation-gen="}},
}}
