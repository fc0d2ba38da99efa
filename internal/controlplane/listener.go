package controlplane

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"
)

func listen(port int) (*listener, error) {
	address := net.JoinHostPort(loopback().String(), strconv.Itoa(port))
	inner, err := net.Listen("tcp4", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d of 127.0.0.1 is taken; stop what listens there or choose another port", port)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return &listener{Listener: inner, open: map[*connection]struct{}{}}, nil
}

// listener knows its connections, so that it can drop them. Go's HTTP/2 server keeps each connection for a
// second after it announced the shutdown, for the sake of clients far away; ours are on this machine, and the
// second would be most of the time that Stop takes.
type listener struct {
	net.Listener
	mu      sync.Mutex
	open    map[*connection]struct{}
	dropped bool
}

// Accept returns the next connection; after drop there are none.
func (l *listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.track(inner); c != nil {
			return c, nil
		}
		_ = inner.Close()
	}
}

func (l *listener) track(inner net.Conn) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped {
		return nil
	}
	c := &connection{Conn: inner, owner: l}
	l.open[c] = struct{}{}
	return c
}

// drop closes every connection, now and from now on.
func (l *listener) drop() {
	l.mu.Lock()
	l.dropped = true
	open := l.open
	l.open = map[*connection]struct{}{}
	l.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close()
	}
}

type connection struct {
	net.Conn
	owner *listener
}

func (c *connection) Close() error {
	c.owner.mu.Lock()
	delete(c.owner.open, c)
	c.owner.mu.Unlock()
	return c.Conn.Close()
}
