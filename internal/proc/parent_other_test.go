//go:build !unix

package proc

func parent() {} // there are no sessions
