// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"reflect"
	"time"

	"go.etcd.io/etcd/server/v3/etcdserver"
)

// idleTick is how often etcd's clock ticks once it leads. For its election it ticks ten times as often, which is most of
// what an idle control plane does; a single member has no peer to send heartbeats to.
const idleTick = 100 * time.Millisecond

// slowDown lets the clock of a member that leads tick less often. etcd has no setting that is one thing for the election
// and another for what follows, so its ticker is taken from its private fields; where they have other names, it goes on as
// it is. TestSlowDown holds them to their names.
func slowDown(server *etcdserver.EtcdServer) (found bool) {
	node := reflect.ValueOf(server).Elem().FieldByName("r")
	if node.Kind() != reflect.Struct {
		return false
	}
	field := node.FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || field.IsNil() {
		return false
	}
	(*time.Ticker)(field.UnsafePointer()).Reset(idleTick)
	return true
}
