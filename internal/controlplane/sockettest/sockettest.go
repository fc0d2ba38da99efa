// SPDX-License-Identifier: Apache-2.0

// Package sockettest holds a process with a control plane to the doors that it may have: the port of its API, and unix
// sockets that only its user can reach. It is for tests, and reads /proc, so it finds something on Linux only.
package sockettest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
)

// OnlyAt reports as test errors every listening TCP socket of a process but the one of the API server's URL, and every
// unix socket that another user could connect to, or that answers as a peer of etcd.
func OnlyAt(t testing.TB, pid int, api string) {
	t.Helper()
	u, err := url.Parse(api)
	require.NoError(t, err)
	addresses, paths := sockets(t, pid)
	if want := []string{u.Host}; !slices.Equal(addresses, want) {
		t.Errorf("process %d listens at %v, want %v alone", pid, addresses, want)
	}
	if len(paths) == 0 {
		t.Errorf("process %d has no unix socket, and etcd needs one: nothing was checked", pid)
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) { // "@" stands for the abstract name space, which has no permissions
			t.Errorf("process %d: socket %q is not a file", pid, path)
			continue
		}
		isPrivate(t, path)
		takesNoRaft(t, path)
	}
}

// isPrivate holds that a socket's mode is 0600 and that of its directory 0700, and that both are the user's.
func isPrivate(t testing.TB, path string) {
	t.Helper()
	for file, mode := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Lstat(file)
		switch {
		case err != nil:
			t.Error(err)
		case info.Mode().Perm() != mode || safefs.Self().Check(file, info) != nil:
			t.Errorf("%s: mode %v, want %v, of this user", file, info.Mode(), mode)
		}
	}
}

// takesNoRaft holds that nothing answers at the paths by which members of an etcd cluster write to each other.
func takesNoRaft(t testing.TB, path string) {
	t.Helper()
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	for _, at := range []string{"/members", "/raft", "/raft/probing", "/raft/stream/message", "/raft/snapshot", "/leases"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://etcd"+at, bytes.NewReader(nil))
		require.NoError(t, err)
		response, err := client.Do(request)
		if err != nil {
			t.Errorf("%s%s: %v", path, at, err)
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: POST %s: status %d, want 404", path, at, response.StatusCode)
		}
	}
}

// sockets returns the addresses at which a process listens by TCP, and the paths of its unix sockets, whatever their state.
func sockets(t testing.TB, pid int) (addresses, paths []string) {
	t.Helper()
	proc, err := procfs.NewDefaultFS()
	require.NoError(t, err)
	process, err := proc.Proc(pid)
	require.NoError(t, err)
	ours, err := process.FileDescriptorTargets()
	require.NoError(t, err)
	isOurs := func(inode uint64) bool { return slices.Contains(ours, fmt.Sprintf("socket:[%d]", inode)) }
	tcp, err4 := proc.NetTCP()   //nolint:staticcheck // netlink, which is proposed instead, has no simpler way to ask
	tcp6, err6 := proc.NetTCP6() //nolint:staticcheck // netlink, which is proposed instead, has no simpler way to ask
	unix, errUnix := proc.NetUNIX()
	require.NoError(t, errors.Join(err4, err6, errUnix))
	const listen = 0x0A
	for _, line := range append(tcp, tcp6...) {
		if line.St == listen && isOurs(line.Inode) {
			addresses = append(addresses, net.JoinHostPort(line.LocalAddr.String(), fmt.Sprint(line.LocalPort)))
		}
	}
	for _, line := range unix.Rows {
		if line.Path != "" && isOurs(line.Inode) && !slices.Contains(paths, line.Path) {
			paths = append(paths, line.Path)
		}
	}
	return addresses, paths
}
