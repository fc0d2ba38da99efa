// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"encoding/json"
	"strings"
)

// refusedError says why the API server refused a CRD, without the values that it prints with the fields of Go structs, such as all versions.
type refusedError struct {
	name string
	err  error
}

func (e refusedError) Error() string {
	return "the API server refused CRD " + e.name + ": " + withoutStructs(e.err.Error())
}

func (e refusedError) Unwrap() error { return e.err }

// withoutStructs takes the values of more than one field out of a message.
func withoutStructs(message string) string {
	const invalid = "Invalid value: "
	var short strings.Builder
	for {
		before, rest, found := strings.Cut(message, invalid)
		short.WriteString(before)
		if !found {
			return short.String()
		}
		var value json.RawMessage
		d := json.NewDecoder(strings.NewReader(rest))
		if (strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[{")) && d.Decode(&value) == nil {
			if after, ok := strings.CutPrefix(rest[d.InputOffset():], ": "); ok {
				message = after
				continue
			}
		}
		short.WriteString(invalid)
		message = rest
	}
}
