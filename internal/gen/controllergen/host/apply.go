// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sigs.k8s.io/controller-tools/pkg/applyconfiguration"
)

func init() { all["applyconfiguration"] = applyconfiguration.Generator{} }
