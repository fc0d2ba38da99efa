// SPDX-License-Identifier: Apache-2.0

// Package ui is what a command and its user say to each other: streams, messages and errors, progress, exit codes, signals.
//
// It knows no command and no flag: what is done, and where that is shown, its callers say.
package ui

import "time"

// WaitEvery is how often a command says what it waits for.
const WaitEvery = 30 * time.Second

// Repeat calls say with the time that has passed, first after first, then after each every, until stop is called. When stop
// returns, say will not be called any more.
func Repeat(first, every time.Duration, say func(passed time.Duration)) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		timer := time.NewTimer(first)
		defer timer.Stop()
		for {
			select {
			case <-end:
				return
			case <-timer.C:
				say(time.Since(began).Round(time.Second))
				timer.Reset(every)
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
