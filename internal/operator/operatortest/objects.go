// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"fmt"
	"strings"
)

// Where the API server has the objects of the tests.
const (
	CronTabs = "/apis/stable.example.com/v1beta1/crontabs"
	Events   = "/api/v1/namespaces/default/events"
)

// CronTab is what the API server would send for an object in the namespace default. More are further fields of its
// metadata, as JSON.
func CronTab(name, version string, replicas int, more ...string) string {
	more = append([]string{fmt.Sprintf(`"namespace":"default","name":%q,"uid":"uid-%s","resourceVersion":%q`, name, name, version)}, more...)
	return fmt.Sprintf(`{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","metadata":{%s},"spec":{"cronSpec":"* * * * */5","replicas":%d}}`,
		strings.Join(more, ","), replicas)
}

// OwnedBy is the field of the metadata of an object that a CronTab of that name controls.
func OwnedBy(name string) string {
	return fmt.Sprintf(`"ownerReferences":[{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","name":%q,"uid":"uid-%s","controller":true}]`, name, name)
}
