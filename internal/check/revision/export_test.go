// SPDX-License-Identifier: Apache-2.0

package revision

// ErrNoRepository is what tests of the package look for.
var ErrNoRepository = errNoRepository
