package stories

import (
	"os"
	"path/filepath"
	"testing"
)

// What reads the output ends first, as tee does at Ctrl-C and head by itself: the run still ends in order, and so does its
// controller.
func TestBrokenPipe(t *testing.T) {
	for name, interrupted := range map[string]bool{"interrupted": true, "head": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ended := filepath.Join(w.dir, "ended")
			w.write(filepath.Join(w.dir, "go.mod"), "module example.com/talker\n\ngo 1.26\n")
			w.write(filepath.Join(w.dir, "main.go"), talker)
			r, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			run := w.startTo(out, w.dir, crdctl, "run", "--", ended)
			for text := ""; len(text) < 10_000; { // much of it is the controller's
				buffer := make([]byte, 1000)
				n, err := r.Read(buffer)
				if text += string(buffer[:n]); err != nil {
					t.Fatalf("%v after:\n%s", err, text)
				}
			}
			want := 2
			if interrupted {
				run.signal(os.Interrupt)
				want = 0
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if code := run.wait(); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			if _, err := os.Stat(ended); err != nil {
				t.Errorf("the controller did not end in order: %v", err)
			}
			w.leavesNothing(w.dir)
		})
	}
}

// talker is a controller that prints without end, and at its end.
const talker = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	for {
		select {
		case <-signals:
			fmt.Println("ending")
			fmt.Fprintln(os.Stderr, "ending")
			if err := os.WriteFile(os.Args[1], nil, 0o600); err != nil {
				panic(err)
			}
			return
		case <-time.After(10 * time.Millisecond):
			fmt.Println(strings.Repeat("x", 100))
		}
	}
}
`
