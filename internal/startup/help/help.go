// SPDX-License-Identifier: Apache-2.0

// Package help answers "etcd --help" and "kube-apiserver --help" before the packages that these programs need are initialized.
// envtest asks both with each start of a test, to find out which flags there are, and to initialize takes longer than to answer.
// Import the package for that effect; as in package startup, the order of initialization makes it work, so it must import next to
// nothing.
//
// It is not the help of any other command line: it knows the one argument, and a terminal, whose width counts, gets the answer
// of the program itself. A test of package standalone holds the texts equal to those of the programs.
package help

import (
	_ "embed" // the texts
	"os"
)

//go:embed etcd.txt
var etcd string

//go:embed kube-apiserver.txt
var apiServer string

func init() {
	if len(os.Args) != 2 || os.Args[1] != "--help" {
		return
	}
	text := Of(os.Args[0])
	if text == "" {
		return
	}
	if info, err := os.Stdout.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return
	}
	_, err := os.Stdout.WriteString(text)
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// Of returns the help of the program with a path, or "" if it is none of these.
func Of(program string) string {
	start := len(program)
	for start > 0 && !os.IsPathSeparator(program[start-1]) {
		start--
	}
	switch program[start:] {
	case "etcd", "etcd.exe":
		return etcd
	case "kube-apiserver", "kube-apiserver.exe":
		return apiServer
	}
	return ""
}
