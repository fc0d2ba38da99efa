package stories

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// hookAtURL has a web server as the hook, which is good for some objects and for others hangs, hangs up, refuses, answers rubbish and
// answers 100 MB.
func (r *trusted) hookAtURL() {
	r.hook = r.serveHook()
	r.givesRubbish(r.runLoop(r.kubeconfig))
	r.printsHuge(r.runLoop(r.kubeconfig))

	loop := r.runLoop(r.kubeconfig, "--hook-timeout", "2s")
	others := names(20)
	r.setAll("before", append([]string{"bad"}, others...)...)
	r.reconciled()
	before := loop.spends()
	r.goesWrong(loop, "hang", "no answer within 2s", others)
	r.goesWrong(loop, "hangup", "see that the server runs", others)
	r.goesWrong(loop, "refuse:500", "the server answered 500", others)
	r.goesWrong(loop, "half", "read the answer", others)
	loop.isAsBefore(before, 64)
	loop.ends()
}

// serveHook is testdata/trusthook as a web server.
func (r *trusted) serveHook() (url string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var q struct {
			Parent struct {
				Metadata struct{ Name string }
				Spec     struct{ Value string }
			}
		}
		if err := json.NewDecoder(request.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		name := q.Parent.Metadata.Name
		fault, _ := os.ReadFile(filepath.Join(r.dir, "faults", name))
		how, argument, _ := strings.Cut(string(fault), ":")
		switch how {
		case "hang":
			<-request.Context().Done()
		case "hangup":
			faultproxy.HangUp(w, request)
		case "refuse":
			code, _ := strconv.Atoi(argument)
			http.Error(w, "refuses as it was told", code)
		case "half":
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, `{"status":{`)
		case "answer", "print":
			_, _ = fmt.Fprint(w, argument)
		case "huge":
			_, _ = fmt.Fprint(w, `{"status":{"huge":"`)
			piece := strings.Repeat("x", 1<<20)
			for range 100 {
				if _, err := fmt.Fprint(w, piece); err != nil {
					return
				}
			}
			_, _ = fmt.Fprint(w, `"}}`)
		default:
			value, _ := json.Marshal(q.Parent.Spec.Value)
			_, _ = fmt.Fprintf(w, `{"status":{"value":%s},"children":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s-0"},"data":{"first":%s,"second":%s}}]}`, value, name, value, value)
		}
	}))
	r.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}
