// SPDX-License-Identifier: Apache-2.0

package change

import (
	"os"

	"github.com/crdctl/crdctl/internal/tree"
)

// Apply writes the changes of a plan, all or none.
func Apply(l Location, changes []tree.Change) error {
	_, statErr := os.Stat(l.Root())
	if err := os.MkdirAll(l.Root(), 0o755); err != nil {
		return err
	}
	if err := tree.Write(l.Base(), changes); err != nil {
		if statErr != nil {
			_ = os.Remove(l.Root()) // it is empty again
		}
		return err
	}
	return nil
}
