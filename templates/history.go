// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"embed"
	"fmt"
	"io/fs"

	"golang.org/x/tools/txtar"
)

// Revision numbers the templates. It goes up with the first change after a release; before that, those of the release are
// written to history (go test ./templates -freeze), so that "crdctl upgrade" knows what a project was rendered from.
const Revision = 2

//go:embed history
var history embed.FS

// At returns the templates of a revision, in directories as FS has them.
func At(revision int) (fs.FS, error) {
	if revision == Revision {
		return FS, nil
	}
	if revision > Revision {
		return nil, fmt.Errorf("templates %d are newer than this crdctl, which has up to %d; install a newer crdctl", revision, Revision)
	}
	data, err := history.ReadFile(fmt.Sprintf("history/%d.txtar", revision))
	if err != nil {
		return nil, fmt.Errorf("no templates %d; this crdctl has 1 to %d", revision, Revision)
	}
	return txtar.FS(txtar.Parse(data))
}
