// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"bytes"
	_ "embed" // the table
	"encoding/json"
	"sync"
)

// table has a line for each kind. It is made of client-go by a test, which also holds the two equal: to ask client-go itself would link
// all of its clients, informers and listers, a quarter of the small builds.
//
//go:embed resources.jsonl
var table []byte

// resources are all kinds that client-go has a client, an informer and a lister of, by their names.
var resources = sync.OnceValue(func() map[string]Resource {
	all := map[string]Resource{}
	for lines := json.NewDecoder(bytes.NewReader(table)); lines.More(); {
		var r Resource
		if err := lines.Decode(&r); err != nil {
			panic(err) // the test reads the same bytes
		}
		all[r.String()] = r
	}
	return all
})
