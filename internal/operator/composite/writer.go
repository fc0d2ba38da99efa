// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/object"
)

// writer makes the requests that change something. Bodies are written and read as text.
type writer struct {
	client  rest.Interface
	manager string
	// dryRun has the API server do all but the change.
	dryRun bool
}

func newWriter(client rest.Interface, manager string) *writer {
	return &writer{client: client, manager: manager}
}

func pathOf(kind Served, key cache.ObjectName, subresource ...string) []string {
	return append(append(object.Path(kind.Resource, key.Namespace), key.Name), subresource...)
}

// requestTimeout is beyond the 34 seconds after which the API server itself gives up a write. It is for what stands in
// between and swallows a request: a worker would wait for the answer for good.
const requestTimeout = 40 * time.Second

// do makes a request, unless the claim on the object has ended: its context tells that at once if it is asked, and client-go
// asks the one that it derives for the time-out.
func (w *writer) do(ctx context.Context, r *rest.Request) (rest.Result, error) {
	r = r.SetHeader("Accept", "application/json").Timeout(requestTimeout)
	if w.dryRun {
		r = r.Param("dryRun", metav1.DryRunAll)
	}
	if err := ctx.Err(); err != nil {
		return rest.Result{}, err
	}
	return r.Do(ctx), nil
}

// apply has the API server make an object what body says, field by field, and reports whether it is new. Fields that body
// no longer has are removed, and those of other managers stay; where two managers disagree, this controller decides.
func (w *writer) apply(ctx context.Context, kind Served, key cache.ObjectName, body []byte) (now *object.Object, created bool, err error) {
	r := w.client.Patch(types.ApplyPatchType).AbsPath(pathOf(kind, key)...).Param("fieldManager", w.manager).Param("force", "true").Body(body)
	result, err := w.do(ctx, r)
	if err != nil {
		return nil, false, err
	}
	var code int
	result.StatusCode(&code)
	now, err = read(result, kind)
	return now, code == http.StatusCreated, err
}

func read(result rest.Result, kind Served) (*object.Object, error) {
	data, err := result.Raw()
	if err != nil {
		return nil, orLater(result.Error()) // it has the API server's words
	}
	return object.Decode(data, &object.Form{APIVersion: kind.apiVersion(), Kind: kind.Kind})
}

// orLater puts off what met with a conflict: another client was faster, and the news of it is on its way.
func orLater(err error) error {
	if apierrors.IsConflict(err) {
		return &controller.LaterError{Err: err}
	}
	return err
}

// metadata reads what there is under a name, without its content.
func (w *writer) metadata(ctx context.Context, kind Served, key cache.ObjectName) (*object.Object, error) {
	return read(w.client.Get().AbsPath(pathOf(kind, key)...).SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1").
		Timeout(requestTimeout).Do(ctx), kind)
}

// delete removes this very object, as it was seen: who took it from its parent in the meantime wants to keep it. Its own
// children go after it.
func (w *writer) delete(ctx context.Context, kind Served, o *object.Object) error {
	uid, version, background := o.UID(), o.ResourceVersion(), metav1.DeletePropagationBackground
	body, err := json.Marshal(&metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}, PropagationPolicy: &background,
	})
	if err != nil {
		return err
	}
	result, err := w.do(ctx, w.client.Delete().AbsPath(pathOf(kind, o.Key())...).SetHeader("Content-Type", "application/json").Body(body))
	if err != nil {
		return err
	}
	return orLater(result.Error())
}

// patch changes an object, or a subresource of it.
func (w *writer) patch(ctx context.Context, kind Served, key cache.ObjectName, how types.PatchType, body any, subresource ...string) (*object.Object, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	result, err := w.do(ctx, w.client.Patch(how).AbsPath(pathOf(kind, key, subresource...)...).Param("fieldManager", w.manager).Body(data))
	if err != nil {
		return nil, err
	}
	return read(result, kind)
}
