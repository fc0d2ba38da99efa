// SPDX-License-Identifier: Apache-2.0

package host

import "sigs.k8s.io/controller-tools/pkg/schemapatcher"

func init() { all["schemapatch"] = schemapatcher.Generator{} }
