// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package proc

func parent() {} // there are no sessions
