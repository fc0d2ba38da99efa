// Package sockettest holds a process with a control plane to the doors that it may have: the port of its API, and unix
// sockets that only its user can reach. It is for tests, and reads /proc, so it finds something on Linux only.
package sockettest

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// OnlyAt reports as test errors every listening TCP socket of a process but the one of the API server's URL, and every
// unix socket that another user could connect to, or that answers as a peer of etcd.
func OnlyAt(t testing.TB, pid int, api string) {
	t.Helper()
	u, err := url.Parse(api)
	if err != nil {
		t.Fatal(err)
	}
	ours := inodes(t, pid)
	if got, want := ports(t, ours), []string{u.Host}; !slices.Equal(got, want) {
		t.Errorf("process %d listens at %v, want %v alone", pid, got, want)
	}
	paths := unixSockets(t, ours)
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
		case info.Mode().Perm() != mode || !ownedByUser(info):
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
		if err != nil {
			t.Fatal(err)
		}
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

// inodes are the sockets of a process.
func inodes(t testing.TB, pid int) map[string]bool {
	t.Helper()
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(fds) == 0 {
		t.Fatalf("no open files of process %d in /proc (%v)", pid, err)
	}
	all := map[string]bool{}
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil && strings.HasPrefix(target, "socket:[") {
			all[strings.Trim(target, "socket:[]")] = true
		}
	}
	return all
}

// ports returns the addresses of the TCP sockets that are in state LISTEN.
func ports(t testing.TB, ours map[string]bool) (found []string) {
	t.Helper()
	for _, table := range []string{"tcp", "tcp6"} {
		for _, fields := range rows(t, table) {
			const address, state, inode, listen = 1, 3, 9, "0A"
			if len(fields) > inode && fields[state] == listen && ours[fields[inode]] {
				found = append(found, decode(t, fields[address]))
			}
		}
	}
	return found
}

// unixSockets returns the names of all sockets that have one, whatever their state.
func unixSockets(t testing.TB, ours map[string]bool) (found []string) {
	t.Helper()
	for _, fields := range rows(t, "unix") {
		const inode, path = 6, 7
		if len(fields) > path && ours[fields[inode]] && !slices.Contains(found, fields[path]) {
			found = append(found, fields[path])
		}
	}
	return found
}

func rows(t testing.TB, table string) (all [][]string) {
	t.Helper()
	content, err := os.ReadFile("/proc/net/" + table)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		all = append(all, strings.Fields(line))
	}
	return all
}

// decode turns the kernel's 0100007F:1F90 into 127.0.0.1:8080. An IPv6 address, which is never the one wanted, stays as it is.
func decode(t testing.TB, address string) string {
	t.Helper()
	host, port, _ := strings.Cut(address, ":")
	ip, err1 := hex.DecodeString(host)
	number, err2 := strconv.ParseUint(port, 16, 16)
	if err1 != nil || err2 != nil {
		t.Fatalf("address %q in /proc/net: %v, %v", address, err1, err2)
	}
	if len(ip) != net.IPv4len {
		return address
	}
	slices.Reverse(ip) // little-endian, as the machines that run these tests
	return net.JoinHostPort(net.IP(ip).String(), strconv.FormatUint(number, 10))
}
