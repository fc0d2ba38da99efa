package loop

import (
	"context"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// source is how one kind is read.
type source struct {
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

func newSource(client dynamic.Interface, kind Kind, namespace string) source {
	var objects dynamic.ResourceInterface = client.Resource(kind.Resource)
	if kind.Namespaced {
		objects = client.Resource(kind.Resource).Namespace(namespace)
	}
	return source{
		list: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, options)
		},
		watch: objects.Watch,
	}
}

// endingSession calls end at the first failing request. The reflector would keep many failures to itself (a refused
// connection, say) and back off.
func (s source) endingSession(end context.CancelCauseFunc, log *slog.Logger) cache.ListerWatcher {
	return listOnly{&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := s.list(ctx, options)
			if err != nil {
				end(err)
				return list, err
			}
			log.Debug("Reflector listed", "count", meta.LenList(list))
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w, err := s.watch(ctx, options)
			if err != nil {
				end(err)
				return w, err
			}
			log.Debug("Reflector watches", "resourceVersion", options.ResourceVersion)
			return w, err
		},
	}}
}

// listOnly makes the reflector list: streaming the first list through a watch costs more than twice the CPU.
type listOnly struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported is what the reflector asks.
func (listOnly) IsWatchListSemanticsUnSupported() bool { return true }

// slim drops what no reconciler reads before an object is cached: managedFields alone are half of an unstructured
// object's memory. The object is not shared yet, so this is the one place that may change it.
func slim(object any) (any, error) {
	u, ok := object.(*unstructured.Unstructured)
	if !ok {
		return object, nil
	}
	unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
	unstructured.RemoveNestedField(u.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	return u, nil
}
