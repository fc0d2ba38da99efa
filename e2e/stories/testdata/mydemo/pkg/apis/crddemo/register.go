// Package crddemo has what all versions of the API group share.
package crddemo

// GroupName is the name of the API group.
const GroupName = "crddemo.k8s.io"
