// SPDX-License-Identifier: Apache-2.0

package ui

import "golang.org/x/sys/unix"

const getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA
