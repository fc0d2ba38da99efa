package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mydemo/pkg/apis/crddemo"
)

var (
	// SchemeGroupVersion is the group and version of the objects in this package.
	SchemeGroupVersion = schema.GroupVersion{Group: crddemo.GroupName, Version: "v1"}

	// SchemeBuilder collects what AddToScheme does.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds the types of this package to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

// Resource returns the group and resource of an unqualified resource; the listers want it.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Mydemo{}, &MydemoList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
