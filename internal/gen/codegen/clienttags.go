// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"slices"

	"k8s.io/code-generator/cmd/client-gen/generators/util"
	"k8s.io/gengo/v2/codetags"
)

// CheckClientTag lets client-gen read one +genclient tag, and returns what it has against it.
func CheckClientTag(line string) error {
	_, err := util.ParseClientGenTags([]string{line})
	return err
}

// ClientVerbs are the verbs that +genclient:onlyVerbs and +genclient:skipVerbs may name. client-gen skips others.
func ClientVerbs() []string { return slices.Clone(util.SupportedVerbs) }

// CheckTag lets the generators' parser read one +k8s: tag, with a value that is any text.
func CheckTag(line string) error {
	_, err := codetags.Parse(line[len("+"):], codetags.RawValues(true))
	return err
}
