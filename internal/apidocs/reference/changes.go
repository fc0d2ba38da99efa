// SPDX-License-Identifier: Apache-2.0

package reference

// Changes are what is different in a version, compared with the one before it.
type Changes struct {
	Since          string // the other version
	Added, Removed []string
	Other          []string // what else is different, in sentences
}
