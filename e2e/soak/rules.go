package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The ways in which a hook misbehaves.
const (
	hangs     = "hangs"
	crashes   = "crashes"
	rubbish   = "answers rubbish"
	huge      = "answers 20 MB"
	fails     = "fails"
	dawdles   = "takes its time"
	chatters  = "chatters on stderr"
	strange   = "answers with a child of a kind that it does not own"
	hugeBytes = 20 << 20
)

var misbehaviours = []string{hangs, crashes, rubbish, huge, fails, dawdles, chatters, strange}

// failingFile has the keys whose hook always fails, in every replica, one a line.
const failingFile = "failing"

// ruleFile says how a replica's hook misbehaves; where there is none, it is well.
func ruleFile(dir, replica string) string { return filepath.Join(dir, "rule-"+replica) }

// writeFile replaces a file in one step: hooks read it all the time.
func writeFile(path, content string) error {
	next := path + ".next"
	if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// misbehave does what the rules say, to every second call. Nothing and no error means that the hook is to be well.
func (h *hookProgram) misbehave(c call) ([]byte, error) {
	failing, err := os.ReadFile(filepath.Join(h.dir, failingFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if slices.Contains(strings.Fields(string(failing)), c.Key) {
		return nil, errors.New("this key always fails, for a while")
	}
	rule, err := os.ReadFile(ruleFile(h.dir, h.replica))
	if errors.Is(err, fs.ErrNotExist) || err == nil && rand.N(2) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch string(rule) {
	case hangs:
		time.Sleep(time.Hour) // for ever would be a deadlock, which the runtime ends
	case crashes:
		if err := h.notes.add(noteCrash, 0, c.Key); err != nil {
			return nil, err
		}
		panic("the soak wanted a crash")
	case rubbish:
		return []byte("this is no JSON {"), nil
	case huge:
		return append(append([]byte(`{"children":[],"text":"`), bytes.Repeat([]byte("x"), hugeBytes)...), `"}`...), nil
	case fails:
		return nil, errors.New("the soak wanted an error")
	case dawdles:
		time.Sleep(rand.N(2 * time.Second))
	case chatters:
		for n := range 5000 {
			_, _ = fmt.Fprintf(h.errs, "line %d of many about %s, %s\n", n, c.Key, strings.Repeat("and so on ", 10)) // nobody may listen
		}
	case strange:
		return []byte(`{"children":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"strange"}}]}`), nil
	}
	return nil, nil
}
