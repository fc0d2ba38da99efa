// Trusthook is the hook of the tests of trust: it gives each Thing children and a status with the value of its spec, and
// misbehaves for an object as the file of that name in the folder faults says. It needs nothing but the standard library, since it is
// started for each call.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

type question struct {
	Parent struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			Value    string `json:"value"`
			Children int    `json:"children"`
		} `json:"spec"`
	} `json:"parent"`
	Finalizing bool `json:"finalizing"`
}

type line struct {
	ID      uint64          `json:"id"`
	Request json.RawMessage `json:"request"`
}

func main() {
	switch {
	case len(os.Args) > 1: // the child of a hook that hangs
		select {}
	case os.Getenv("CRDCTL_HOOK_PERSISTENT") == "":
		body, err := io.ReadAll(os.Stdin)
		if err != nil {
			panic(err)
		}
		out := bufio.NewWriter(os.Stdout)
		if answer, raw := decide(body, out); !raw {
			fmt.Fprintln(out, answer)
		}
		out.Flush()
	default:
		serve()
	}
}

// serve answers each line in a goroutine of its own.
func serve() {
	var mu sync.Mutex
	out := bufio.NewWriter(os.Stdout)
	lines := bufio.NewReader(os.Stdin)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			panic(err)
		}
		go func() {
			var printed bytes.Buffer
			answer, raw := decide(l.Request, &printed)
			mu.Lock()
			defer mu.Unlock()
			if raw {
				_, _ = printed.WriteTo(out)
				fmt.Fprintln(out)
			} else {
				fmt.Fprintf(out, "{\"id\":%d,\"response\":%s}\n", l.ID, answer)
			}
			out.Flush()
		}()
	}
}

// decide gives the answer, or has printed what is to be in its place.
func decide(body []byte, out io.Writer) (answer string, raw bool) {
	var q question
	if err := json.Unmarshal(body, &q); err != nil {
		panic(err)
	}
	name := q.Parent.Metadata.Name
	fault, _ := os.ReadFile(filepath.Join("faults", name))
	how, argument, _ := strings.Cut(string(fault), ":")
	switch how {
	case "hang":
		// With a child: a time-out must reach it too.
		if err := exec.Command(os.Args[0], "hang").Run(); err != nil {
			time.Sleep(time.Hour)
		}
	case "hangalone":
		time.Sleep(time.Hour)
	case "slow":
		pause, _ := time.ParseDuration(argument)
		time.Sleep(pause)
	case "exit":
		fmt.Fprintln(os.Stderr, "ends as it was told for", name)
		os.Exit(1)
	case "answer": // text instead of an answer
		return argument, false
	case "print": // text instead of all that is printed
		fmt.Fprint(out, argument)
		return "", true
	case "huge":
		piece := bytes.Repeat([]byte("x"), 1<<20)
		_, _ = os.Stdout.WriteString(`{"status":{"huge":"`)
		for range 100 {
			if _, err := os.Stdout.Write(piece); err != nil {
				os.Exit(1)
			}
		}
		return `"}}`, false
	}
	if q.Finalizing {
		return `{"finalized":true,"children":[]}`, false
	}
	value, err := json.Marshal(q.Parent.Spec.Value)
	if err != nil {
		panic(err)
	}
	var children []string
	for i := range max(q.Parent.Spec.Children, 1) {
		children = append(children, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s-%d"},"data":{"first":%s,"second":%s}}`, name, i, value, value))
	}
	return fmt.Sprintf(`{"status":{"value":%s},"children":[%s]}`, value, strings.Join(children, ",")), false
}
