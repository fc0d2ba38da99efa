// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// sample is about what the API server sends for one custom resource: 1.5 KB, more than half of it managedFields.
func sample(i int) string {
	return fmt.Sprintf(`{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","metadata":{"annotations":{"example.com/note":"some text that is forty characters long"},"creationTimestamp":"2026-11-21T00:00:00Z","generation":1,"labels":{"app":"crontab","tier":"backend","team":"payments","env":"production","zone":"eu-1"},`+
		`"managedFields":[{"apiVersion":"stable.example.com/v1beta1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:example.com/note":{}},"f:labels":{".":{},"f:app":{},"f:tier":{},"f:team":{},"f:env":{},"f:zone":{}}},"f:spec":{".":{},"f:cronSpec":{},"f:image":{},"f:replicas":{},"f:description":{}}},"manager":"bench","operation":"Update","time":"2026-11-21T00:00:00Z"},{"apiVersion":"stable.example.com/v1beta1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{".":{},"f:conditions":{".":{},"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}}}},"manager":"bench-status","operation":"Update","subresource":"status","time":"2026-11-21T00:00:00Z"}],`+
		`"name":"crontab-%06d","namespace":"default","resourceVersion":"%d","uid":"6f1c2a52-0000-4000-8000-%012d"},"spec":{"cronSpec":"* * * * */5","description":"%s","image":"nginx:1.7.9","replicas":2},"status":{"conditions":[{"lastTransitionTime":"2026-11-21T00:00:00Z","message":"all is well with this object","reason":"AsExpected","status":"True","type":"Ready"}]}}`, i, i, i, strings.Repeat("x", 60))
}

func listOf(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"apiVersion":"stable.example.com/v1beta1","kind":"CronTabList","metadata":{"resourceVersion":"9"},"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(sample(i))
	}
	b.WriteString("]}")
	return b.Bytes()
}

func BenchmarkList(b *testing.B) {
	data := listOf(1000)
	b.SetBytes(int64(len(data) / 1000))
	b.ReportAllocs()
	for i := 0; i < b.N; i += 1000 {
		if list, err := NewDecoder(bytes.NewReader(data), &Form{"stable.example.com/v1beta1", "CronTab"}, Whole, nil).List(); err != nil || len(list.Items) != 1000 {
			b.Fatal(err)
		}
	}
}
