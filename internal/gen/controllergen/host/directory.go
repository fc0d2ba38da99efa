// SPDX-License-Identifier: Apache-2.0

package host

import (
	"reflect"

	"golang.org/x/tools/go/packages"
)

// directory returns the field that has the directory of a package, or nil: the release of x/tools that controller-gen v0.16 is
// built with has no such field.
func directory(p *packages.Package) *string {
	field := reflect.ValueOf(p).Elem().FieldByName("Dir")
	if !field.IsValid() {
		return nil
	}
	return field.Addr().Interface().(*string)
}
