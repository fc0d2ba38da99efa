// Command small is a controller of the standard library alone, which is built in a moment, for stories of the run and not of the
// controller. It works until it is told to end, and takes its time then where it is to be stuck.
package main

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
