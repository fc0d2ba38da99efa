// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is its own hook: with "child" as its first argument, the second says how it behaves, and the rest are its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		behave(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

func self(args ...string) Target {
	return Target{Args: append([]string{os.Args[0], "child"}, args...)}
}

func behave(how string, args []string) {
	switch how {
	case "echo":
		body, _ := io.ReadAll(os.Stdin)
		fmt.Printf(`{"hook":%q,"kind":%q,"key":%q,"request":%s}`, os.Getenv("CRDCTL_HOOK"), os.Getenv("CRDCTL_KIND"), os.Getenv("CRDCTL_KEY"), body)
	case "print": // what it is told to
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Print(args[0])
	case "unread": // answers without having read anything
		fmt.Print(`{"children":[]}`)
	case "crash":
		fmt.Print("half an ans")
		fmt.Fprintf(os.Stderr, "first\nboom \x1b[31mred\n")
		os.Exit(3)
	case "secret":
		fmt.Fprintln(os.Stderr, "no way token=hunter2")
		os.Exit(7)
	case "persistent-secret":
		fmt.Println(`{"id":1,"error":"token=hunter2"}`)
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "hang": // with a child that hangs too, and its stdout
		signal.Ignore(syscall.SIGTERM)
		leave(args[0], false)
		fmt.Fprintln(os.Stderr, "waiting for nothing")
		select {}
	case "orphan", "session": // answers, and leaves a child that holds stdout and stderr
		leave(args[0], how == "session")
		fmt.Print(`{"children":[]}`)
	case "late": // answers at the last moment
		time.Sleep(1500 * time.Millisecond)
		behave("session", args)
	case "sleep":
		time.Sleep(10 * time.Minute)
	case "flood":
		block := strings.Repeat("x", 1<<20)
		for range 100 {
			if _, err := os.Stdout.WriteString(block); err != nil {
				return
			}
		}
	case "noisy":
		long := strings.Repeat("l", 10<<10)
		fmt.Fprintln(os.Stderr, long)
		for i := range 20_000 {
			fmt.Fprintln(os.Stderr, "noise", i)
		}
		fmt.Print(`{"children":[]}`)
	case "gate": // says that it runs, and waits until it may end
		fmt.Fprintln(os.Stderr, "inside")
		waitForFile(args[0])
		fmt.Print(`{"children":[]}`)
	case "serve":
		serve()
	}
}

// leave starts a child that hangs, and writes its own pid and that of the child to a file.
func leave(file string, session bool) {
	cmd := exec.Command(os.Args[0], "child", "sleep")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile(file+".part", fmt.Appendf(nil, "%d %d", os.Getpid(), cmd.Process.Pid), 0o644); err != nil {
		panic(err)
	}
	_ = os.Rename(file+".part", file)
}

func waitForFile(name string) {
	for {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// serve is a persistent hook. The request says what it is to do.
func serve() {
	var todo struct {
		ID      uint64
		Hook    string
		Key     string
		Request struct{ Do, Arg string }
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := make(chan string)
	go func() {
		for line := range out {
			fmt.Println(line)
		}
	}()
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &todo); err != nil {
			fmt.Fprintln(os.Stderr, "not JSON:", err)
			os.Exit(4)
		}
		id, arg := todo.ID, todo.Request.Arg
		answer := func() {
			out <- fmt.Sprintf(`{"id":%d,"response":{"pid":%d,"hook":%q,"key":%q,"arg":%q}}`, id, os.Getpid(), todo.Hook, todo.Key, arg)
		}
		switch todo.Request.Do {
		case "answer":
			fmt.Fprintln(os.Stderr, "asked for", todo.Key)
			answer()
		case "wait": // answers when a file is there; meanwhile others are served
			line := fmt.Sprintf(`{"id":%d,"response":{"pid":%d}}`, id, os.Getpid())
			go func() {
				waitForFile(arg)
				out <- line
			}()
		case "never":
		case "block": // no longer answers
			signal.Ignore(syscall.SIGTERM)
			select {}
		case "crash":
			fmt.Fprintln(os.Stderr, "boom")
			os.Exit(3)
		case "print":
			out <- arg
		case "error":
			out <- fmt.Sprintf(`{"id":%d,"error":"no such image"}`, id)
		case "flood":
			block := strings.Repeat(arg, 1<<20)
			for range 100 {
				if _, err := os.Stdout.WriteString(block); err != nil {
					return
				}
			}
		case "noisy":
			for i := range 20_000 {
				fmt.Fprintln(os.Stderr, "noise", i)
			}
			answer()
		}
	}
}
