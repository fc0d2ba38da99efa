package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The group is one of those that Kubernetes keeps for itself: the API server takes its CRDs only with the annotation.
// The plural is given because the CRD generator's own guess, mydemoes, is not the client generator's.

// +genclient
// +genclient:noStatus
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:path=mydemos
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, experimental-only; demo"
// +kubebuilder:printcolumn:name=IP,type=string,JSONPath=".spec.ip"
// +kubebuilder:printcolumn:name=Port,type=integer,JSONPath=".spec.port"

// Mydemo is an address.
type Mydemo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MydemoSpec `json:"spec"`
}

// MydemoSpec is the address.
type MydemoSpec struct {
	IP   string `json:"ip"`
	Port int    `json:"port"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MydemoList is a list of Mydemos.
type MydemoList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Mydemo `json:"items"`
}
