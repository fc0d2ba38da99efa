// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

const (
	// etcdPatience is for a machine under heavy load; a leader is usually there after 50 ms.
	etcdPatience = 30 * time.Second
	// closePatience is how long the end of a store may take that failed: parts of it are gone.
	closePatience = 2 * time.Second
)

// store is an etcd of one member in this process.
type store struct {
	etcd   *embed.Etcd
	failed chan struct{} // closed when etcd cannot go on
	once   sync.Once
	err    error // why; read it once failed is closed
}

// noPeers is the address that the member announces to others. There are no others, and nothing listens on it: the
// listener for peers takes Raft messages from every client that reaches it, without a credential.
var noPeers = []url.URL{{Scheme: "unix", Path: "/crdctl-has-no-etcd-peers"}}

// startEtcd starts the store on one unix socket, so that it cannot be reached from the network or by another user. It
// accepts connections when startEtcd returns and answers once await has returned.
//
// Kept data may name another peer address, that of the start they were made by. That is harmless: a single member
// never dials itself. (ForceNewCluster would correct the record and may drop the last writes of a killed process,
// whose commit the log does not hold yet.)
func startEtcd(w *workspace, fsync bool) (*store, error) {
	client := []url.URL{{Scheme: "unix", Path: w.clientSocket()}}
	s := &store{failed: make(chan struct{})}
	cfg := embed.NewConfig()
	cfg.Dir = w.etcdDir()
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(newEtcdLog(s.fail))
	cfg.UnsafeNoFsync = !fsync
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = client, client
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = nil, noPeers
	cfg.ListenMetricsUrls, cfg.EnableGRPCGateway = nil, false
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.TickMs, cfg.ElectionMs = 10, 100 // the only voter need not wait a second for its own vote

	started := make(chan error, 1)
	go func() { // of its own: etcd ends the goroutine in which it meets broken data
		var err error
		s.etcd, err = embed.StartEtcd(cfg)
		started <- err
	}()
	var err error
	select {
	case err = <-started:
	case <-s.failed:
		err = s.err
	}
	if err != nil && !w.temporary {
		err = fmt.Errorf("%w; if its data is corrupt, remove %s and start again", err, w.data)
	}
	if err != nil {
		return nil, fmt.Errorf("start etcd in %s: %w", cfg.Dir, err)
	}
	// The directory keeps other users out; the socket's own mode must not depend on the umask either.
	if err := os.Chmod(w.clientSocket(), 0o600); err != nil {
		s.etcd.Close()
		return nil, fmt.Errorf("close the socket of etcd to others: %w", err)
	}
	go func() {
		for err := range s.etcd.Err() {
			s.fail(err)
		}
	}()
	return s, nil
}

// fail is heard once; what comes after the first failure is its consequence.
func (s *store) fail(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.failed)
	})
}

func (s *store) await() error {
	select {
	case <-s.etcd.Server.ReadyNotify():
		return nil
	case <-s.failed:
		return fmt.Errorf("start etcd: %w", s.err)
	case <-time.After(etcdPatience):
		return errors.New("start etcd: no leader after " + etcdPatience.String())
	}
}

func (s *store) close() { s.awaitUnlessFailed(s.etcd.Close) }

// awaitUnlessFailed waits for something to end that needs the store, and not for ever if the store failed: then parts of
// it are gone, and those that wait for them are left to the end of the process.
func (s *store) awaitUnlessFailed(end func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		end()
	}()
	select {
	case <-ended:
	case <-s.failed:
		select {
		case <-ended:
		case <-time.After(closePatience):
		}
	}
}
