// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package hugepages

func start() {}

func stop() {}
