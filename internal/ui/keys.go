// SPDX-License-Identifier: Apache-2.0

package ui

// Keys hands out the keys that the user presses while a command works. It is nothing where the input is not a terminal, or another
// process has it.
type Keys struct {
	Pressed <-chan byte
	stop    func()
}

// Stop gives the terminal back as it was. It may be called more than once.
func (k *Keys) Stop() {
	if k != nil {
		k.stop()
	}
}
