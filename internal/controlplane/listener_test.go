// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDroppedConnections(t *testing.T) {
	l, err := listen(0)
	require.NoError(t, err)
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	before := dial(t, l)
	<-accepted
	l.drop()
	expectClosed(t, "a connection of before the drop", before)
	expectClosed(t, "a connection of after the drop", dial(t, l))
	closeIt(t, l)
	if c, open := <-accepted; open {
		t.Errorf("accepted %v after the drop", c.RemoteAddr())
	}
}

func dial(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp4", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { closeIt(t, c) })
	return c
}

func expectClosed(t *testing.T, what string, c net.Conn) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(patience)))
	var timeout net.Error
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		t.Errorf("%s is open (error %v, want %v or a reset)", what, err, io.EOF)
	}
}
