package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// hookWord is the argument with which the program is the hook and not the soak. A folder and the name of a replica follow.
const hookWord = "hook"

// hookProgram is the hook: it answers as it should, unless the rules in its folder say otherwise, and notes each call.
type hookProgram struct {
	dir, replica string
	notes        *notes
	calls        atomic.Int64
	mu           sync.Mutex // one answer at a time
	out, errs    io.Writer
	persistent   bool
}

// call is a line to a persistent hook.
type call struct {
	ID      uint64          `json:"id"`
	Hook    string          `json:"hook"`
	Key     string          `json:"key"`
	Request json.RawMessage `json:"request"`
}

// runHook serves what is asked on in.
func runHook(args []string, in io.Reader, out, errs io.Writer) (err error) {
	if len(args) != 2 {
		return errors.New("want the folder of the rules and the name of the replica")
	}
	h := &hookProgram{dir: args[0], replica: args[1], out: out, errs: errs, persistent: os.Getenv("CRDCTL_HOOK_PERSISTENT") != ""}
	if h.notes, err = openNotes(h.dir, h.replica); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.notes.close()) }()
	if !h.persistent {
		request, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		return h.serve(call{Hook: os.Getenv("CRDCTL_HOOK"), Key: os.Getenv("CRDCTL_KEY"), Request: request})
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		go func() { // calls that hang are left behind: the process does not outlast its standard input
			if err := h.serve(c); err != nil {
				_, _ = fmt.Fprintln(h.errs, err)
			}
		}()
	}
	return lines.Err()
}

// serve notes a call, answers it, and notes its end before anybody can know of the answer.
func (h *hookProgram) serve(c call) error {
	id := h.calls.Add(1)
	if err := h.notes.add(noteBegin, id, c.Key); err != nil {
		return err
	}
	answer, err := h.misbehave(c)
	if answer == nil && err == nil {
		answer, err = decide(c)
	}
	if ended := h.notes.add(noteEnd, id, c.Key); ended != nil {
		return ended
	}
	return h.say(c, answer, err)
}

// say prints an answer, or that there is none.
func (h *hookProgram) say(c call, answer []byte, failed error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.persistent {
		if failed != nil {
			return failed
		}
		_, err := h.out.Write(answer)
		return err
	}
	var line []byte
	switch {
	case failed != nil:
		text, err := json.Marshal(failed.Error())
		if err != nil {
			return err
		}
		line = fmt.Appendf(nil, `{"id":%d,"error":%s}`, c.ID, text)
	case !bytes.HasPrefix(answer, []byte("{")):
		line = answer // rubbish is in no envelope
	default:
		line = fmt.Appendf(nil, `{"id":%d,"response":%s}`, c.ID, answer)
	}
	_, err := h.out.Write(append(line, '\n'))
	return err
}

// decide is the answer of a hook that is well.
func decide(c call) ([]byte, error) {
	var request struct {
		Parent   basket                          `json:"parent"`
		Children map[string]map[string]configMap `json:"children"`
	}
	if err := json.Unmarshal(c.Request, &request); err != nil {
		return nil, err
	}
	parent := request.Parent
	answer := map[string]any{}
	switch {
	case c.Hook != "finalize":
		answer["children"] = children(parent)
		answer["status"] = status{Count: parent.Spec.Count, Text: parent.Spec.Text}
	case leavesChildren(parent.Name):
		answer["children"] = children(parent)
		answer["finalized"] = true
	default:
		answer["children"] = []any{}
		answer["finalized"] = len(request.Children["ConfigMap.v1"]) == 0
	}
	return json.Marshal(answer)
}

func children(parent basket) []any {
	all := []any{} // and not null
	wanted := wantedChildren(parent.Name, parent.Spec)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		all = append(all, map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": name, "labels": map[string]string{childLabel: "true"}},
			"data":     map[string]string{childKey: wanted[name]},
		})
	}
	return all
}
