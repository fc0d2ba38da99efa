package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:path=foos
// +kubebuilder:subresource:status
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental-only; demo"

// Foo asks for a Deployment.
type Foo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FooSpec `json:"spec"`
	// +optional
	Status FooStatus `json:"status,omitempty"`
}

// FooSpec is the Deployment that is wanted.
type FooSpec struct {
	// DeploymentName is the name of the Deployment, which is in the namespace of the Foo.
	// +kubebuilder:validation:MinLength=1
	DeploymentName string `json:"deploymentName"`

	// Replicas is the number of its pods. Without it, the Deployment keeps the number that it has.
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
}

// FooStatus is what was last seen of the Deployment.
type FooStatus struct {
	// AvailableReplicas is how many of its pods are available.
	// +optional
	AvailableReplicas int32 `json:"availableReplicas,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// FooList is a list of Foos.
type FooList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Foo `json:"items"`
}
