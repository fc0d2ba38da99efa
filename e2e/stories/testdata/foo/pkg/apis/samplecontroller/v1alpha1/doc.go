// +k8s:deepcopy-gen=package
// +groupName=samplecontroller.k8s.io

// Package v1alpha1 is version v1alpha1 of the API group samplecontroller.k8s.io. It is registered by generated code.
package v1alpha1
