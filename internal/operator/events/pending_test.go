// SPDX-License-Identifier: Apache-2.0

package events

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// An event that waits must keep neither the text of its object nor a long message in memory. Sizes do not depend on the machine.
func TestWhatWaitsIsSmall(t *testing.T) {
	object := "default" + "c1" + "uid-1" + "42" + strings.Repeat("x", 4096)
	about := corev1.ObjectReference{
		APIVersion: "stable.example.com/v1", Kind: "CronTab",
		Namespace: object[:7], Name: object[7:9], UID: types.UID(object[9:14]), ResourceVersion: object[14:16],
	}
	long := strings.Repeat("m", 1<<20)
	p := newPending(about, corev1.EventTypeWarning, "SyncError", long)
	assert.Equal(t, about, p.about)
	within := func(part, whole string) bool {
		at := uintptr(unsafe.Pointer(unsafe.StringData(part))) - uintptr(unsafe.Pointer(unsafe.StringData(whole)))
		return at < uintptr(len(whole))
	}
	for _, part := range []string{p.about.Namespace, p.about.Name, string(p.about.UID), p.about.ResourceVersion} {
		assert.False(t, within(part, object), "%q is a part of the object's text", part)
	}
	assert.False(t, within(p.message, long), "the message keeps the long one")
	assert.LessOrEqual(t, len(p.message), messageLimit)
	assert.LessOrEqual(t, unsafe.Sizeof(*p), uintptr(192), "the next size that the allocator has is 208")
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { newPending(about, corev1.EventTypeNormal, "Synced", "synced") }), 2.0)
}

// The event has the time and the name of the moment at which it was recorded, however much later it is written.
func TestTheEventIsOfItsMoment(t *testing.T) {
	p := newPending(corev1.ObjectReference{Name: "cluster-scoped"}, corev1.EventTypeNormal, "Synced", "synced")
	p.at = time.Unix(100, 0)
	event := p.event("crdctl")
	assert.Equal(t, metav1.NewTime(time.Unix(100, 0)), event.FirstTimestamp)
	assert.Equal(t, event.FirstTimestamp, event.LastTimestamp)
	assert.Equal(t, "cluster-scoped.174876e800", event.Name)
	assert.Equal(t, metav1.NamespaceDefault, event.Namespace)
}
