package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/crdctl/crdctl/e2e/bench/loop/harness"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// workers is how many workers all sides have.
const workers = 2

// follower is a side that runs.
type follower struct {
	*program.Process
	at     int // in what it said
	synced harness.Synced
}

// follow starts a side and returns when it has reconciled every object once.
func (b *bench) follow(ctx context.Context, s side) (*follower, error) {
	argv := []string{filepath.Join(b.programs.dir, s.program), b.plane.kubeconfig, strconv.Itoa(workers), strconv.Itoa(b.plane.filled), strconv.Itoa(b.most()), s.variant}
	p, err := program.StartTalking(measure.Side{Dir: b.dir, Env: os.Environ(), Argv: argv})
	if err != nil {
		return nil, err
	}
	f := &follower{Process: p}
	if f.synced, err = answer[harness.Synced](ctx, f, "synced"); err != nil {
		return nil, errors.Join(err, f.End())
	}
	return f, nil
}

// took is how long it took from the start of the process until it was synced.
func (f *follower) took() time.Duration { return time.Unix(0, f.synced.At).Sub(f.Began) }

// ask asks a question, and returns the answer, which begins with a key.
func ask[T any](ctx context.Context, f *follower, key, question string, args ...any) (T, error) {
	if err := f.Say(fmt.Sprintf(question, args...)); err != nil {
		return *new(T), err
	}
	return answer[T](ctx, f, key)
}

// answer is the next line that begins with a key. What is no line of JSON is somebody's log, and passed over.
func answer[T any](ctx context.Context, f *follower, key string) (found T, err error) {
	for {
		var said program.Line
		if said, f.at, err = f.Await(ctx, f.at, `{"`); err != nil {
			return found, err
		}
		if strings.HasPrefix(said.Text, `{"`+key+`":`) {
			if err := json.Unmarshal([]byte(said.Text), &found); err != nil {
				return found, fmt.Errorf("read what was said of %s: %w", key, err)
			}
			return found, nil
		}
		var failed harness.Failed
		if strings.HasPrefix(said.Text, `{"error":`) && json.Unmarshal([]byte(said.Text), &failed) == nil {
			return found, errors.New(failed.Error)
		}
	}
}
