// SPDX-License-Identifier: Apache-2.0

// Package declared is what a test replaces.
package declared
