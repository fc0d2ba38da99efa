// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A part of a recording has what is needed to know the state at its begin: open watches, reconciles that are under way, and the newest
// versions of objects with the requests that wrote them, and what roles grant. It has nothing else of before.
func TestBetweenHasTheStateAtItsBegin(t *testing.T) {
	path := writeRecording(t, zipped(t, headerLine+`
{"seq":2,"t":1,"k":"watch","id":"open","actor":1,"state":"open","resource":1}
{"seq":3,"t":1,"k":"watch","id":"ended","actor":1,"state":"open","resource":1}
{"seq":4,"t":2,"k":"watch","id":"open","actor":1,"state":"synced","resource":1}
{"seq":5,"t":2,"k":"watch","id":"ended","actor":1,"state":"end","resource":1}
{"seq":6,"t":3,"k":"version","obj":1,"type":"ADDED","rv":5,"by":"a"}
{"seq":7,"t":3,"k":"request","id":"a","actor":1,"began":2,"verb":"create","code":201}
{"seq":8,"t":4,"k":"version","obj":1,"type":"MODIFIED","rv":6,"prev":5,"by":"b"}
{"seq":9,"t":4,"k":"request","id":"b","actor":1,"began":3,"verb":"update","code":200}
{"seq":10,"t":4,"k":"version","obj":2,"type":"ADDED","rv":7}
{"seq":11,"t":5,"k":"version","obj":2,"type":"DELETED","rv":8}
{"seq":12,"t":5,"k":"reconcile","id":"done","controller":"c","key":"x","state":"begin"}
{"seq":13,"t":5,"k":"reconcile","id":"done","controller":"c","key":"x","state":"end"}
{"seq":14,"t":5,"k":"reconcile","id":"runs","controller":"c","key":"x","state":"begin"}
{"seq":15,"t":6,"k":"log","message":"before"}
{"seq":16,"t":7,"k":"rights","user":"u","grants":[]}
{"seq":17,"t":8,"k":"rights","user":"u","grants":[{"role":"r","verbs":["get"]}]}
{"seq":18,"t":10,"k":"log","message":"in it"}
{"seq":19,"t":11,"k":"watch","id":"open","actor":1,"state":"end","resource":1}
{"seq":20,"t":20,"k":"log","message":"after"}
`))
	var seqs []int64
	for rec, err := range opened(t, path).Between(t.Context(), 10, 15) {
		require.NoError(t, err)
		seqs = append(seqs, rec.Seq)
	}
	assert.Equal(t, []int64{1, 2, 4, 8, 9, 14, 17, 18, 19}, seqs)
}

// A part has where it begins; a part of a part does not begin before that.
func TestWhereAPartBegins(t *testing.T) {
	path := writeRecording(t, zipped(t, headerLine+`
{"seq":2,"t":6,"k":"log","message":"before"}
{"seq":3,"t":20,"k":"log","message":"in it"}
`))
	for _, c := range []struct{ from, begin int64 }{{0, 0}, {10, 10}, {11, 11}, {2, 11}} {
		part := filepath.Join(t.TempDir(), "part.crdctl.gz")
		_, err := SaveFile(part, "whole", opened(t, path).Between(t.Context(), c.from, 30))
		require.NoError(t, err)
		assert.Equal(t, c.begin, opened(t, part).Header().Begin, "from %d", c.from)
		assert.LessOrEqual(t, strings.Count(unzippedRecords(t, part)[0], `"begin"`), 1)
		path = part
	}
}
