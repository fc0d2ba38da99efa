// SPDX-License-Identifier: Apache-2.0

package hookpipe

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// follow returns the records of lines, but for definitions and times, as text.
func follow(t *testing.T, lines ...string) (all []string) {
	t.Helper()
	recorder, err := trace.New(trace.Options{})
	require.NoError(t, err)
	recorder.Defs().Object(trace.Object{UID: "u", Name: "a"})
	recorder.Defs().Object(trace.Object{UID: "c", Name: "a"})
	var text strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&text, `{"t":%d,"queue":"foos.example.com","key":"default/a",%s}`+"\n", time.Now().UnixNano()+int64(i), l)
	}
	Follow(strings.NewReader(text.String()), recorder, func() trace.ActorID { return 7 })
	require.NoError(t, recorder.Close())
	for r, err := range recorder.Records(t.Context(), 0) {
		require.NoError(t, err)
		switch b := r.Body.(type) {
		case *trace.Queue:
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s obj=%d rv=%d merged=%v depth=%d", b.Op, b.Why, b.Object, b.RV, b.Merged, b.Depth)))
		case *trace.Reconcile:
			text := fmt.Sprintf("%s %s obj=%d %s%s", b.ID, b.State, b.Object, b.Result, b.Err)
			for _, c := range b.Causes {
				text += fmt.Sprintf(" [%s %d %s]", c.Why, c.RV, c.Certainty)
			}
			assert.Equal(t, "hook", b.Source)
			assert.Equal(t, trace.ActorID(7), b.Actor)
			all = append(all, text)
		case *trace.Gap:
			all = append(all, fmt.Sprintf("gap %d", b.Dropped[trace.KindQueue]))
		}
	}
	return all
}

func TestLinesBecomeRecords(t *testing.T) {
	assert.Equal(t, []string{
		"add own obj=1 rv=5 merged=false depth=1",
		"add child obj=2 rv=6 merged=true depth=1",
		"x-1 begin obj=1  [own 5 certain] [child 6 certain]",
		"add own obj=1 rv=7 merged=false depth=1",
		"x-1 end obj=1 errorno luck",
		"rateLimited retry obj=0 rv=0 merged=false depth=0",
		"x-2 begin obj=1  [own 7 certain]",
		"add retry obj=0 rv=0 merged=false depth=1",
		"x-2 end obj=1 ok",
		"x-3 begin obj=0  [retry 0 certain]",
	}, follow(t,
		`"op":"add","uid":"u","rv":"5","own":true`,
		`"op":"add","uid":"c","rv":"6"`,
		`"op":"get","sync":"x-1"`,
		`"op":"add","uid":"u","rv":"7","own":true`,
		`"op":"end","sync":"x-1","err":"no luck"`,
		`"op":"rateLimited","delay":1,"tries":1`,
		`"op":"get","sync":"x-2"`,
		`"op":"due"`,
		`"op":"end","sync":"x-2"`,
		`"op":"get","sync":"x-3"`,
	))
}

// Where lines were lost, a reconcile may have had another cause; the next one has not.
func TestNothingIsCertainAfterALoss(t *testing.T) {
	assert.Equal(t, []string{
		"gap 3",
		"add own obj=1 rv=5 merged=false depth=1",
		"x-1 begin obj=1  [own 5 likely]",
		"add own obj=1 rv=6 merged=false depth=1",
		"x-2 begin obj=1  [own 6 certain]",
	}, follow(t,
		`"op":"add","uid":"u","rv":"5","own":true,"dropped":3`,
		`"op":"get","sync":"x-1"`,
		`"op":"add","uid":"u","rv":"6","own":true`,
		`"op":"get","sync":"x-2"`,
	))
}

func TestALineThatIsNoneIsPassedOver(t *testing.T) {
	assert.Empty(t, follow(t, `"op":"add","rv":{}`))
}
