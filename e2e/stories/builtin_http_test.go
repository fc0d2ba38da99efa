package stories

import (
	"os"
	"regexp"
)

// httpHook has the shape of the hooks that come with Metacontroller: a web server with a path for each question, which knows the fields that
// Metacontroller documents and no others. It says which port it got.
const httpHook = `
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Controller(BaseHTTPRequestHandler):
    def sync(self, parent, children, related, finalizing):
        if finalizing:
            return {"status": parent["status"], "children": [], "finalized": not children["ConfigMap.v1"]}
        wanted = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "%s-%s" % (parent["metadata"]["name"], name)},
                   "data": {"value": secret["data"]["value"]}} for name, secret in related["Secret.v1"].items()]
        return {"status": {"expected": len(wanted), "actual": len(children["ConfigMap.v1"])}, "children": wanted, "resyncAfterSeconds": 0}

    def customize(self, parent):
        return {"relatedResources": [{"apiVersion": "v1", "resource": "secrets", "names": parent["spec"]["message"].split()}]}

    def do_POST(self):
        observed = json.loads(self.rfile.read(int(self.headers.get("content-length"))))
        controller = observed["controller"]
        if controller["kind"] != "CompositeController" or controller["spec"]["parentResource"]["resource"] != "gadgets":
            return self.send_error(400, "not for me")
        if self.path == "/customize":
            desired = self.customize(observed["parent"])
        elif self.path in ("/sync", "/finalize"):
            desired = self.sync(observed["parent"], observed["children"], observed["related"], observed["finalizing"])
        else:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(desired).encode("utf-8"))

server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Controller)
print("listening on %d;" % server.server_port, flush=True)
server.serve_forever()
`

var listening = regexp.MustCompile(`listening on (\d+);`)

// A hook in the form of Metacontroller's own, behind three URLs.
func (h *hooked) http() {
	h.sync(httpHook)
	server := h.world.start(h.dir, "env", "PORT=0", "./sync.py")
	server.waitFor("listening on ", ";")
	at := "http://127.0.0.1:" + listening.FindStringSubmatch(server.text())[1]
	h.start("--hook", at+"/sync", "--finalize-hook", at+"/finalize", "--customize-hook", at+"/customize", "--owns", "v1/ConfigMap")

	h.kubectl("create", "secret", "generic", "first", "--from-literal=value=a")
	h.kubectl("create", "secret", "generic", "second", "--from-literal=value=b")
	h.apply(gadget("demo", "first second"))
	h.shows("gadget/demo", ".status.actual", "2")
	h.shows("configmap/demo-first", ".data.value", "YQ==")
	h.kubectl("patch", "secret", "first", "--type=merge", "-p", `{"stringData":{"value":"c"}}`)
	h.shows("configmap/demo-first", ".data.value", "Yw==")
	h.kubectl("delete", "secret", "second")
	h.vanishes("configmap/demo-second")
	h.shows("gadget/demo", ".status.expected", "1")
	h.kubectl("delete", "gadget", "demo")
	h.vanishes("configmap/demo-first")
	server.signal(os.Interrupt)
	<-server.done
}
