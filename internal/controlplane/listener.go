// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
)

func listen(port int) (*listener, error) {
	address := net.JoinHostPort(loopback().String(), strconv.Itoa(port))
	inner, err := net.Listen("tcp4", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d of 127.0.0.1 is in use; stop the program that uses it or choose another port", port)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return &listener{Listener: inner}, nil
}

// listener knows its connections, so that it can drop them. Go's HTTP/2 server keeps each connection for a
// second after it announced the shutdown, for the sake of clients far away; ours are on this machine, and the
// second would be most of the time that Stop takes.
type listener struct {
	net.Listener
	open    sync.Map // of net.Conn
	dropped atomic.Bool
}

// Accept returns the next connection; after drop there are none.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.open.Store(conn, nil)
		if !l.dropped.Load() { // else drop may have been too early to find it
			return &connection{conn, l}, nil
		}
		_ = conn.Close()
	}
}

// drop closes every connection, now and from now on.
func (l *listener) drop() {
	l.dropped.Store(true)
	for conn := range l.open.Range {
		_ = conn.(net.Conn).Close()
	}
}

type connection struct {
	net.Conn
	owner *listener
}

func (c *connection) Close() error {
	c.owner.open.Delete(c.Conn)
	return c.Conn.Close()
}
