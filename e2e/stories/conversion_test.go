package stories

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// A kind with two versions whose fields differ: the controller converts them, with two lines by hand. It serves all that a
// scaffold can serve: the conversion, health checks and metrics.
func TestVersionsOfAKind(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	w.run(dir, crdctl, "create", "api", "--group", "stable.example.com", "--version", "v1", "--kind", "CronTab", "--conversion", "webhook",
		"--field", "cronSpec:string", "--field", "image:string", "--field", "copies:int32")
	w.run(dir, "go", "test", "-vet=off", "./internal/webhook", "./pkg/apis/...")
	conversion := filepath.Join(dir, "pkg/apis/stable/v1/conversion.go")
	w.replace(conversion, "\treturn autoConvert_v1_CronTabSpec_To_v1beta1_CronTabSpec(in, out, s)", "\tout.Replicas = in.Copies\n\treturn autoConvert_v1_CronTabSpec_To_v1beta1_CronTabSpec(in, out, s)")
	w.replace(conversion, "\treturn autoConvert_v1beta1_CronTabSpec_To_v1_CronTabSpec(in, out, s)", "\tout.Copies = in.Replicas\n\treturn autoConvert_v1beta1_CronTabSpec_To_v1_CronTabSpec(in, out, s)")
	w.run(dir, crdctl, "verify")

	run := w.start(dir, crdctl, "run")
	run.waitFor("crdctl: installed crontabs.stable.example.com", `"Started workers" count=2`)
	w.write(filepath.Join(dir, "new.yaml"), "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: new, namespace: default}\nspec: {copies: 7}\n")
	w.kubectl(dir, "apply", "-f", "new.yaml")
	run.waitFor(`"replicas":7`, `"Successfully synced" crontab="default/new"`)
	for version, want := range map[string]string{"v1": "copies: 7", "v1beta1": "replicas: 7"} {
		if got := w.kubectl(dir, "get", "crontabs."+version+".stable.example.com", "new", "-o", "yaml"); !strings.Contains(got, want) || !strings.Contains(got, "apiVersion: stable.example.com/"+version) {
			t.Errorf("as %s:\n%s", version, got)
		}
	}
	w.kubectl(dir, "patch", "crontabs.v1.stable.example.com", "new", "--type=merge", "-p", `{"spec":{"copies":9}}`)
	run.waitFor(`"replicas":9`, `"Successfully synced" crontab="default/new"`)
	if got := w.get("http://" + run.serves("health checks") + "/readyz"); got != "ok" {
		t.Errorf("/readyz says %q, want ok", got)
	}
	if got := w.get("http://" + run.serves("metrics") + "/metrics"); !strings.Contains(got, `workqueue_adds_total{name="crontabs.stable.example.com"} `) {
		t.Errorf("/metrics has no queue:\n%s", got)
	}
	w.end(run)
	w.leavesNothing(dir)
}

// serves returns the address at which a scaffolded controller says that it serves something.
func (p *process) serves(what string) string {
	p.Helper()
	_, said, found := strings.Cut(p.text(), `"Serving `+what+`" address="`)
	address, _, complete := strings.Cut(said, `"`)
	if !found || !complete {
		p.Errorf("%s are not served", what)
	}
	return address
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
