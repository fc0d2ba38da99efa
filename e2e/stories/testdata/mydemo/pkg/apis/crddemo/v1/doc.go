// +k8s:deepcopy-gen=package
// +groupName=crddemo.k8s.io

// Package v1 is version v1 of the API group crddemo.k8s.io.
package v1
