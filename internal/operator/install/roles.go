package install

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// defaultNamespace is in every cluster.
const defaultNamespace = "default"

// labels mark all objects, and select the pods.
func (o *Options) labels() map[string]string {
	return map[string]string{"app.kubernetes.io/name": o.Loop.Name}
}

func (o *Options) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: o.Namespace, Labels: o.labels()}
}

// namespace is that of the controller, unless every cluster has it.
func (o *Options) namespace() []any {
	if o.Namespace == defaultNamespace {
		return nil
	}
	labels := o.labels()
	labels["pod-security.kubernetes.io/enforce"] = "restricted" // the pods below keep to it
	return []any{&corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: o.Namespace, Labels: labels},
	}}
}

// roles are the service account, and roles with their bindings, for the cluster and by namespace.
func (o *Options) roles(r *rights) []any {
	all := []any{&corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: o.meta(o.Loop.Name)}}
	name := o.Loop.Name
	all = append(all,
		&rbacv1.ClusterRole{TypeMeta: rbacType("ClusterRole"), ObjectMeta: metav1.ObjectMeta{Name: name, Labels: o.labels()}, Rules: r.cluster.rules()},
		&rbacv1.ClusterRoleBinding{
			TypeMeta: rbacType("ClusterRoleBinding"), ObjectMeta: metav1.ObjectMeta{Name: name, Labels: o.labels()},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: o.subjects(),
		})
	if len(r.each) > 0 {
		for _, namespace := range slices.Sorted(slices.Values(o.Loop.Namespaces)) {
			all = append(all, o.role(name, namespace, r.each)...)
		}
	}
	return append(all, o.role(name+"-leases", o.Namespace, r.own)...)
}

// role is a role in a namespace, and its binding.
func (o *Options) role(name, namespace string, g grants) []any {
	meta := metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: o.labels()}
	return []any{
		&rbacv1.Role{TypeMeta: rbacType("Role"), ObjectMeta: meta, Rules: g.rules()},
		&rbacv1.RoleBinding{
			TypeMeta: rbacType("RoleBinding"), ObjectMeta: meta,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: o.subjects(),
		},
	}
}

func (o *Options) subjects() []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: o.Loop.Name, Namespace: o.Namespace}}
}

func rbacType(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}
