package stories

import (
	"os"
	"path/filepath"
)

// small makes a project whose controller needs the standard library only and so is built in a moment, for stories of the
// run and not of the controller. Its kind is Other.
func (w *world) small() string {
	w.Helper()
	dir := filepath.Join(w.dir, "small")
	w.check(os.MkdirAll(filepath.Join(dir, "config/crd"), 0o755))
	for name, content := range map[string]string{
		"go.mod":                "module example.com/small\n\ngo 1.26\n",
		"main.go":               smallMain,
		"crdctl.yaml":           "apiVersion: crdctl.dev/v1alpha1\nkind: Project\napis: [apis]\ncrds: {dir: config/crd}\ncontroller: {package: .}\n",
		"config/crd/other.yaml": otherCRD,
		"other.yaml":            other,
	} {
		w.write(filepath.Join(dir, name), content)
	}
	return dir
}

const other = "apiVersion: example.com/v1\nkind: Other\nmetadata: {name: demo}\n"

// smallMain works until it is told to end, and takes its time then where it is to be stuck.
const smallMain = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const stuck = false

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	fmt.Println("Started workers")
	<-signals
	if stuck {
		fmt.Println("Shutting down workers")
		select {}
	}
	fmt.Println("Workers stopped")
}
`
