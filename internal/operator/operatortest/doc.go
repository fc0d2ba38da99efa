// SPDX-License-Identifier: Apache-2.0

// Package operatortest is what the tests of the loop's packages share: an API server that is a function of this process, and a
// log that can be compared. It is for tests only.
package operatortest
