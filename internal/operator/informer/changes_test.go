// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// process, by what the FIFO can pop: a session that ended in the middle leaves any of these to the next one.
func TestProcessTellsWhatChanged(t *testing.T) {
	const other = `{"metadata":{"namespace":"default","name":"a","uid":"another","resourceVersion":"1"}}`
	replaced := func(objects ...string) cache.Deltas {
		all := cache.ReplacedAllInfo{ResourceVersion: "9"}
		for _, o := range objects {
			all.Objects = append(all.Objects, decode(t, o))
		}
		return cache.Deltas{{Type: cache.ReplacedAll, Object: all}}
	}
	one := func(of cache.DeltaType, o any) cache.Deltas { return cache.Deltas{{Type: of, Object: o}} }
	steps := []struct {
		name   string
		deltas cache.Deltas
		want   []string
		size   int
	}{
		{"added", one(cache.Added, decode(t, operatortest.CronTab("a", "1", 2))), []string{"+a"}, 1},
		{"resync", one(cache.Sync, decode(t, operatortest.CronTab("a", "1", 2))), nil, 1},
		{"listed again", replaced(operatortest.CronTab("a", "1", 2)), nil, 1},
		{"the same version of another object", replaced(other), []string{"a 1>1"}, 1},
		{"updated", one(cache.Updated, decode(t, operatortest.CronTab("a", "2", 2))), []string{"a 1>2"}, 1},
		{"several at once", append(one(cache.Added, decode(t, operatortest.CronTab("b", "1", 2))), one(cache.Deleted, decode(t, operatortest.CronTab("b", "2", 2)))...), []string{"+b", "-b"}, 1},
		{"tombstone", one(cache.Deleted, cache.DeletedFinalStateUnknown{Key: "default/a", Obj: decode(t, operatortest.CronTab("a", "2", 2))}), []string{"-a"}, 0},
		{"tombstone of what is not known", one(cache.Deleted, cache.DeletedFinalStateUnknown{Key: "default/b"}), nil, 0},
		{"tombstone with a bad key", one(cache.Deleted, cache.DeletedFinalStateUnknown{Key: "a/b/c"}), nil, 0},
		{"listed first", replaced(operatortest.CronTab("c", "1", 2), operatortest.CronTab("d", "1", 2)), []string{"+c", "+d"}, 2},
		{"listed without one", replaced(operatortest.CronTab("c", "1", 2)), []string{"-d"}, 1},
		{"listed nothing", replaced(), []string{"-c"}, 0},
	}
	f := startless(t)
	for _, step := range steps {
		assert.NoError(t, f.process(step.deltas, false), step.name)
		f.changed.Expect(t, step.name, step.want...)
		assert.Equal(t, step.size, f.Size(), step.name)
	}
	assert.Error(t, f.process("text", false), "a text was processed")
}
