// SPDX-License-Identifier: Apache-2.0

package events

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record/util"

	"github.com/crdctl/crdctl/internal/text"
)

// messageLimit is how much of a message is written, in bytes.
const messageLimit = 1024

// pending is an event that is yet to be written: after a start there is one for each object, and writing them takes minutes. As
// corev1.Event with texts of the object's, each took five times the memory: it kept the whole object.
type pending struct {
	about                      corev1.ObjectReference
	eventType, reason, message string
	at                         time.Time
}

func newPending(about corev1.ObjectReference, eventType, reason, message string) *pending {
	if len(message) > messageLimit {
		message = strings.Clone(text.Shorten(message, messageLimit))
	}
	about.Namespace, about.Name, about.UID, about.ResourceVersion = detached(about)
	return &pending{about: about, eventType: eventType, reason: reason, message: message, at: time.Now()}
}

// detached returns the texts that are the object's own as parts of one that is not.
func detached(about corev1.ObjectReference) (namespace, name string, uid types.UID, version string) {
	all := about.Namespace + about.Name + string(about.UID) + about.ResourceVersion
	cut := func(n int) (part string) {
		part, all = all[:n], all[n:]
		return part
	}
	return cut(len(about.Namespace)), cut(len(about.Name)), types.UID(cut(len(about.UID))), cut(len(about.ResourceVersion))
}

// event is what the API server gets. Source is the name of the controller.
func (p *pending) event(source string) *corev1.Event {
	namespace := p.about.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault // where the events of cluster-scoped objects live by convention
	}
	at := metav1.NewTime(p.at)
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: util.GenerateEventName(p.about.Name, p.at.UnixNano()), Namespace: namespace},
		InvolvedObject: p.about, Type: p.eventType, Reason: p.reason, Message: p.message,
		Source: corev1.EventSource{Component: source}, ReportingController: source,
		FirstTimestamp: at, LastTimestamp: at, Count: 1,
	}
}
