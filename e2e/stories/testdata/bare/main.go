// SPDX-License-Identifier: Apache-2.0

// Command bare is a controller of the standard library alone, of which only its requests are known: it prints nothing about reconciles, has no
// metrics, and names no reconcile in its requests. What it does with a CronTab depends on its name.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

type metadata struct {
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

type cronTab struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   metadata       `json:"metadata"`
	Spec       map[string]any `json:"spec"`
	Status     map[string]any `json:"status,omitempty"`
}

type cronTabList struct {
	Metadata metadata  `json:"metadata"`
	Items    []cronTab `json:"items"`
}

func main() {
	api := connect()
	near, far := api.in("default"), api.in("far")
	all := near.list()
	events := json.NewDecoder(near.watch(all.Metadata.ResourceVersion))
	secrets := crontabs{api, "/api/v1/namespaces/far/secrets"} // of one namespace
	defer secrets.watch("").Close()
	fmt.Println("Started workers")
	go far.lag()
	go api.in("restless").watchAgain()
	go func() {
		for {
			var event struct{ Object cronTab }
			if err := events.Decode(&event); err != nil {
				return // the API server stops
			}
			o := event.Object
			switch now := map[string]any{"lastSeen": time.Now().Format(time.RFC3339Nano)}; o.Metadata.Name {
			case "clock": // its own update makes the next event
				time.Sleep(20 * time.Millisecond)
				o.Status = now
				near.update(o)
			case "patched-clock": // the same by a patch, which says nothing of the version that it was decided on
				time.Sleep(50 * time.Millisecond)
				near.ask(http.MethodPatch, "/patched-clock/status", map[string]any{"status": now}, nil)
			case "read":
				if o.Spec["image"] == "a" {
					go near.late()
				}
			}
		}
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	<-signals
}

// crontabs are those of a namespace.
type crontabs struct {
	*api
	path string
}

func (a *api) in(namespace string) crontabs {
	return crontabs{a, "/apis/stable.example.com/v1/namespaces/" + namespace + "/crontabs"}
}

func (c crontabs) list() (all cronTabList) {
	c.ask(http.MethodGet, "", nil, &all)
	return all
}

func (c crontabs) update(o cronTab) {
	c.ask(http.MethodPut, "/"+o.Metadata.Name+"/status", o, nil)
}

// late reads an object without a cache, and writes it after another client did.
func (c crontabs) late() {
	var read, newest cronTab
	for c.ask(http.MethodGet, "/read", nil, &read); newest.Metadata.ResourceVersion == "" || newest.Metadata.ResourceVersion == read.Metadata.ResourceVersion; {
		time.Sleep(50 * time.Millisecond)
		c.ask(http.MethodGet, "/read", nil, &newest)
	}
	c.insist(read)
}

// lag writes what its watch has not made new: that is full of other events, which it does not read.
func (c crontabs) lag() {
	var all cronTabList
	for len(all.Items) == 0 {
		time.Sleep(50 * time.Millisecond)
		all = c.list()
	}
	old := all.Items[0]
	unread := c.watch(all.Metadata.ResourceVersion)
	defer unread.Close()
	filler := cronTab{APIVersion: old.APIVersion, Kind: old.Kind, Metadata: metadata{Name: "filler"}}
	for i := range 12 { // more than the buffers of a connection hold
		filler.Spec = map[string]any{"filler": fmt.Sprint(i) + strings.Repeat("x", 1<<20)}
		if i == 0 {
			c.ask(http.MethodPost, "", filler, &filler)
		} else {
			c.ask(http.MethodPut, "/filler", filler, &filler)
		}
	}
	fmt.Println("The watch is full")
	for all.Items[len(all.Items)-1].Metadata.ResourceVersion == old.Metadata.ResourceVersion {
		time.Sleep(50 * time.Millisecond)
		all = c.list()
	}
	c.insist(old)
}

// insist writes an old version again and again.
func (c crontabs) insist(o cronTab) {
	for {
		c.ask(http.MethodPut, "/"+o.Metadata.Name+"/status", o, nil)
		time.Sleep(100 * time.Millisecond)
	}
}

// watchAgain ends its watch again and again, for longer than a new CRD may be the reason.
func (c crontabs) watchAgain() {
	for range 40 {
		time.Sleep(250 * time.Millisecond)
		c.watch(c.list().Metadata.ResourceVersion).Close()
	}
}

func (c crontabs) watch(version string) io.ReadCloser {
	response, err := c.send(http.MethodGet, c.path+"?watch=true&resourceVersion="+version, nil)
	must(err)
	return response.Body
}

// ask sends a request, and reads the answer if it is what was asked for. A conflict is none.
func (c crontabs) ask(method, path string, question, answer any) {
	response, err := c.send(method, c.path+path, question)
	if err != nil {
		return // the API server stops
	}
	defer response.Body.Close()
	if answer != nil && response.StatusCode < http.StatusBadRequest {
		must(json.NewDecoder(response.Body).Decode(answer))
	}
	_, _ = io.Copy(io.Discard, response.Body)
}

// api is what the kubeconfig names.
type api struct {
	http          http.Client
	server, token string
}

func connect() *api {
	config, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	must(err)
	field := func(name string) string {
		return regexp.MustCompile(name + `: (\S+)`).FindStringSubmatch(string(config))[1]
	}
	ca, err := base64.StdEncoding.DecodeString(field("certificate-authority-data"))
	must(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	return &api{http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}, field("server"), field("token")}
}

func (a *api) send(method, path string, question any) (*http.Response, error) {
	body, err := json.Marshal(question)
	must(err)
	request, err := http.NewRequest(method, a.server+path, bytes.NewReader(body))
	must(err)
	request.Header.Set("Authorization", "Bearer "+a.token)
	request.Header.Set("User-Agent", "bare")
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	return a.http.Do(request)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
