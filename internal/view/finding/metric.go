// SPDX-License-Identifier: Apache-2.0

package finding

import "strings"

// labelOf returns the value of a label of a sample such as workqueue_depth{controller="x",name="x"}, and reports whether
// the sample is of the metric and has the label.
func labelOf(sample, metric, label string) (string, bool) {
	labels, ok := strings.CutPrefix(sample, metric+"{")
	if !ok {
		return "", false
	}
	for _, l := range strings.Split(strings.TrimSuffix(labels, "}"), ",") {
		if v, ok := strings.CutPrefix(l, label+`="`); ok {
			return strings.TrimSuffix(v, `"`), true
		}
	}
	return "", false
}
