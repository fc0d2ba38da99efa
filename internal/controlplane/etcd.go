package controlplane

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// etcdPatience is for a machine under heavy load; a leader is usually there after 50 ms.
const etcdPatience = 30 * time.Second

// startEtcd starts the store on two unix sockets, so that no door of it is on the network. It accepts
// connections when startEtcd returns and answers once awaitEtcd has returned.
//
// The peer socket has another path at every start, and the data remember the one they were made with. That is
// harmless: a single member never dials itself. (ForceNewCluster would mend the record and may drop the last
// writes of a killed process, whose commit the log does not hold yet.)
func startEtcd(w *workspace, fsync bool) (*embed.Etcd, error) {
	client := []url.URL{{Scheme: "unix", Path: w.clientSocket()}}
	peer := []url.URL{{Scheme: "unix", Path: w.peerSocket()}}
	cfg := embed.NewConfig()
	cfg.Dir = w.etcdDir()
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	cfg.UnsafeNoFsync = !fsync
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = client, client
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = peer, peer
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.TickMs, cfg.ElectionMs = 10, 100 // the only voter need not wait a second for its own vote
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("start etcd in %s: %w", cfg.Dir, err)
	}
	return etcd, nil
}

func awaitEtcd(etcd *embed.Etcd) error {
	select {
	case <-etcd.Server.ReadyNotify():
		return nil
	case err := <-etcd.Err():
		return fmt.Errorf("start etcd: %w", err)
	case <-time.After(etcdPatience):
		return errors.New("start etcd: no leader after " + etcdPatience.String())
	}
}
