// Command soak has replicas of the built-in controller work for half an hour while all sorts of things go wrong at random:
// they are killed and frozen, the control plane is killed, hooks hang, crash and answer rubbish, watches are cut, requests refused, the CRD
// is deleted. Every few minutes nothing goes wrong for a while; then everything must be as the specs ask for, the memory flat,
// and no two replicas may have been at one key at once. "make soak" runs it.
//
// It is no benchmark, and measures no speed. Each fault is a line of its output; the first argument is the path of crdctl.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == hookWord {
		if err := runHook(os.Args[2:], os.Getenv, os.Stdin, os.Stdout, os.Stderr); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, "hook:", err)
			os.Exit(1)
		}
		return
	}
	s, args, err := readSettings(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	os.Exit(measure.Main(args, os.Stdout, os.Stderr, s.run))
}
