// SPDX-License-Identifier: Apache-2.0

package compat

// What tests of the package call from outside.
var (
	RemovedCRD = removedCRD
	CompareGo  = compareGo
)

// ReadObjects are the objects of a manifest.
func ReadObjects(file string, data []byte) (Objects, error) {
	return objectsIn(file, data, func([]byte) bool { return true })
}
