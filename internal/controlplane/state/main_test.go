// SPDX-License-Identifier: Apache-2.0

package state

import (
	"os"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func TestMain(m *testing.M) { os.Exit(safefstest.Run(m)) }
