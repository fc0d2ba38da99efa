// SPDX-License-Identifier: Apache-2.0

// Package v1 is where the tests put the examples of the pages of rules.
package v1
