// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestServed(t *testing.T) {
	now, longAgo := metav1.Now(), metav1.NewTime(time.Now().Add(-time.Hour))
	names := func(status apiextv1.ConditionStatus, since metav1.Time) apiextv1.CustomResourceDefinitionCondition {
		return apiextv1.CustomResourceDefinitionCondition{Type: apiextv1.NamesAccepted, Status: status, LastTransitionTime: since, Message: "taken"}
	}
	established := apiextv1.CustomResourceDefinitionCondition{Type: apiextv1.Established, Status: apiextv1.ConditionTrue}
	for name, test := range map[string]struct {
		conditions []apiextv1.CustomResourceDefinitionCondition
		accepted   string // the plural that the status speaks of
		want       bool
		wantErr    bool
	}{
		"new":                   {},
		"names only":            {conditions: []apiextv1.CustomResourceDefinitionCondition{names("True", now)}, accepted: "widgets"},
		"served":                {conditions: []apiextv1.CustomResourceDefinitionCondition{names("True", longAgo), established}, accepted: "widgets", want: true},
		"served, but renamed":   {conditions: []apiextv1.CustomResourceDefinitionCondition{names("True", longAgo), established}, accepted: "gadgets"},
		"names refused just so": {conditions: []apiextv1.CustomResourceDefinitionCondition{names("False", now), established}, accepted: "widgets"},
		"names refused":         {conditions: []apiextv1.CustomResourceDefinitionCondition{names("False", longAgo), established}, accepted: "widgets", wantErr: true},
	} {
		c := &apiextv1.CustomResourceDefinition{Spec: apiextv1.CustomResourceDefinitionSpec{Names: apiextv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"}}}
		c.Status.Conditions, c.Status.AcceptedNames = test.conditions, c.Spec.Names
		c.Status.AcceptedNames.Plural = test.accepted
		got, err := served(c)
		assert.Equal(t, test.want, got, name)
		assert.Equal(t, test.wantErr, err != nil, "%s: %v", name, err)
	}
}
