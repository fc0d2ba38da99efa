// Command webhooks serves an admission webhook of each kind and a conversion webhook for the kind Box, as a controller
// does, with nothing but the standard library: the formats are those of the API server's documentation.
package main

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

type object = map[string]any

// review is what the API server asks, and what it is answered: the request's uid, and the rest by the kind of review.
type review struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    struct {
		UID               string   `json:"uid"`
		Object            object   `json:"object"`
		DesiredAPIVersion string   `json:"desiredAPIVersion"`
		Objects           []object `json:"objects"`
	} `json:"request"`
	Response object `json:"response,omitempty"`
}

// name is that of the object that an admission webhook is asked about.
func (r *review) name() string {
	metadata, _ := r.Request.Object["metadata"].(object)
	name, _ := metadata["name"].(string)
	return name
}

func main() {
	port := flag.String("port", "9443", "port to serve on")
	flag.Parse()
	certs := os.Getenv("CRDCTL_WEBHOOK_CERT_DIR")
	http.Handle("/validate", handler(validate))
	http.Handle("/mutate", handler(mutate))
	http.Handle("/convert", handler(convert))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		os.Exit(0)
	}()
	address := net.JoinHostPort("127.0.0.1", *port)
	l, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("serving webhooks on %s", address)
	log.Fatal(http.ServeTLS(l, nil, filepath.Join(certs, "tls.crt"), filepath.Join(certs, "tls.key")))
}

func handler(answer func(*review) object) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in review
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		log.Printf("called %s", r.URL.Path)
		switch in.name() + r.URL.Path {
		case "slow/validate":
			time.Sleep(600 * time.Millisecond)
		case "failing/validate":
			http.Error(w, "the scales are broken", http.StatusInternalServerError)
			return
		}
		response := answer(&in)
		response["uid"] = in.Request.UID
		if err := json.NewEncoder(w).Encode(review{APIVersion: in.APIVersion, Kind: in.Kind, Response: response}); err != nil {
			log.Print(err)
		}
	})
}

// size is what both versions say in their own way: v1 as size, v2 as dimensions.size.
func size(o object) (float64, bool) {
	spec, _ := o["spec"].(object)
	if dimensions, ok := spec["dimensions"].(object); ok {
		spec = dimensions
	}
	n, ok := spec["size"].(float64)
	return n, ok
}

func validate(r *review) object {
	if n, ok := size(r.Request.Object); ok && n > 100 {
		return object{"allowed": false, "status": object{"message": fmt.Sprintf("a box of size %v does not fit", n)}}
	}
	return object{"allowed": true}
}

func mutate(r *review) object {
	if _, ok := size(r.Request.Object); ok {
		return object{"allowed": true}
	}
	patch := base64.StdEncoding.EncodeToString([]byte(`[{"op": "add", "path": "/spec", "value": {"size": 7}}]`))
	return object{"allowed": true, "patchType": "JSONPatch", "patch": patch}
}

func convert(r *review) object {
	var converted []object
	for _, o := range r.Request.Objects {
		n, ok := size(o)
		o["apiVersion"] = r.Request.DesiredAPIVersion
		if spec := (object{}); ok {
			if spec["size"] = n; r.Request.DesiredAPIVersion == "boxes.example.com/v2" {
				spec = object{"dimensions": spec}
			}
			o["spec"] = spec
		}
		converted = append(converted, o)
	}
	return object{"convertedObjects": converted, "result": object{"status": "Success"}}
}
