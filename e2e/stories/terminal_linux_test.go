// SPDX-License-Identifier: Apache-2.0

package stories

import "golang.org/x/sys/unix"

// getTermios is the request for the settings of a terminal.
const getTermios = unix.TCGETS
