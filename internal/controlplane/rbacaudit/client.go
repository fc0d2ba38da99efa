// SPDX-License-Identifier: Apache-2.0

package rbacaudit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
)

// Path is where an API server with a recorder tells what it recorded. The API server's own authorization guards it.
const Path = "/crdctl/access"

// ServeHTTP answers GET with the requests of the user that the query names, and forgets them on DELETE.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	user := request.URL.Query().Get("user")
	switch request.Method {
	case http.MethodGet:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(r.Requests(user)) // a caller that is gone needs no answer
	case http.MethodDelete:
		r.Forget(user)
	default:
		http.Error(w, "GET or DELETE", http.StatusMethodNotAllowed)
	}
}

// Fetch asks an API server for what a user asked of it.
func Fetch(ctx context.Context, client rest.Interface, user string) (Used, error) {
	body, err := client.Get().AbsPath(Path).Param("user", user).DoRaw(ctx)
	if err != nil {
		return Used{}, fmt.Errorf("get the permissions that %s used: %w", user, err)
	}
	var used Used
	if err := json.Unmarshal(body, &used); err != nil {
		return Used{}, fmt.Errorf("read the permissions that %s used: %w", user, err)
	}
	return used, nil
}

// Reset has an API server forget what a user asked of it.
func Reset(ctx context.Context, client rest.Interface, user string) error {
	if err := client.Delete().AbsPath(Path).Param("user", user).Do(ctx).Error(); err != nil {
		return fmt.Errorf("start to record the permissions that %s uses: %w", user, err)
	}
	return nil
}
