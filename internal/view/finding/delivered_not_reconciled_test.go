// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/view/model"
)

// Reconciles that were cut off leave no more behind than a controller may run at once.
func TestRunningReconcilesAreBounded(t *testing.T) {
	w := working{running: map[model.Key]*model.Reconcile{}}
	var last *model.Reconcile
	for i := range int64(2 * unheardMax) {
		last = &model.Reconcile{Controller: "c", Key: strconv.FormatInt(i, 10), Began: i}
		w.begin(last)
	}
	assert.Len(t, w.running, unheardMax)
	assert.Contains(t, w.running, model.Key{Controller: "c", Key: last.Key})
	assert.NotContains(t, w.running, model.Key{Controller: "c", Key: "0"})
}
