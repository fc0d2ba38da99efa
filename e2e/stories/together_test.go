package stories

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Two projects of the same kind that run at the same time: each has its control plane, its ports, its webhook and its objects,
// and "crdctl kubectl" speaks to that of the folder it is called in.
func TestTwoProjectsAtTheSameTime(t *testing.T) {
	w := newWorld(t)
	first, second := w.runConverted("first"), w.runConverted("second")
	takenBy := map[string]string{}
	for _, p := range []*converted{first, second} {
		for name, address := range map[string]string{
			"API server": strings.TrimPrefix(w.kubectl(p.dir, "config", "view", "-o", "jsonpath={.clusters[0].cluster.server}"), "https://"),
			"webhook":    p.webhook, "health checks": p.health, "metrics": p.metrics,
		} {
			if other, taken := takenBy[address]; taken {
				t.Errorf("%s, %s: %s has the address of %s", p.dir, address, name, other)
			}
			takenBy[address] = name + " of " + p.dir
		}
	}

	// Objects of the same name, written in the version that only the webhook can bring to the controller's.
	for copies, p := range map[string]*converted{"11": first, "22": second} {
		file := filepath.Join(p.dir, "new.yaml")
		w.write(file, "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: new, namespace: default}\nspec: {image: nginx:"+copies+"}\n")
		w.kubectl(p.dir, "apply", "-f", file)
		p.run.waitFor(`"image":"nginx:`+copies+`"`, `"Successfully synced" crontab="default/new"`)
	}
	for _, p := range []*converted{first, second} {
		if got := w.get("http://" + p.health + "/readyz"); got != "ok" {
			t.Errorf("%s: /readyz says %q, want ok", p.dir, got)
		}
		if got := w.get("http://" + p.metrics + "/metrics"); !strings.Contains(got, `workqueue_adds_total{name="crontabs.stable.example.com"} `) {
			t.Errorf("%s: /metrics knows nothing of the queue:\n%s", p.dir, got)
		}
	}
	if strings.Contains(first.run.text(), "nginx:22") || strings.Contains(second.run.text(), "nginx:11") {
		t.Error("a controller was told of the other project's object")
	}

	// The end of the one is not the end of the other.
	w.end(first.run)
	w.kubectl(second.dir, "patch", "crontabs.v1.stable.example.com", "new", "--type=merge", "-p", `{"spec":{"image":"nginx:33"}}`)
	second.run.waitFor(`"image":"nginx:33"`, `"Successfully synced" crontab="default/new"`)
	w.end(second.run)
	w.leavesNothing(first.dir)
	w.leavesNothing(second.dir)
}

// converted is a project that runs and that serves all that a scaffold can serve.
type converted struct {
	dir                      string
	run                      *process
	webhook, health, metrics string // addresses, as the controller says them
}

// runConverted makes a project with two versions of a kind, which its webhook converts, and runs it.
func (w *world) runConverted(name string) *converted {
	w.Helper()
	p := &converted{dir: filepath.Join(w.dir, name)}
	api := []string{"-C", p.dir, "--group", "stable.example.com", "--kind", "CronTab", "--field", "image:string"}
	w.run(w.dir, crdctl, append([]string{"init", "--version", "v1beta1"}, api...)...)
	w.run(w.dir, crdctl, append([]string{"create", "api", "--version", "v1", "--conversion", "webhook"}, api...)...)
	p.run = w.start(p.dir, crdctl, "run")
	for server, address := range map[string]*string{"conversion webhook": &p.webhook, "health checks": &p.health, "metrics": &p.metrics} {
		w.until(name+" serves its "+server, func() bool {
			_, said, _ := strings.Cut(p.run.text(), `"Serving `+server+`" address="`)
			at, _, complete := strings.Cut(said, `"`)
			*address = at
			return complete
		})
	}
	p.run.waitFor(`"Started workers" count=2`)
	return p
}

// get is what a server answers.
func (w *world) get(url string) string {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, url, nil)
	w.check(err)
	response, err := http.DefaultClient.Do(request)
	w.check(err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	w.check(err)
	return string(body)
}
