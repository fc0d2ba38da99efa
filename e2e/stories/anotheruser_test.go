// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stories

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// otherUser is the ID of the user who is not the one that runs crdctl.
const otherUser = 65534

// needsRoot ends a test that has to create files of another user. Nothing else can show what such files do; so where all tests
// must run, not being root is a failure.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	require.NotEqual(t, "true", os.Getenv("CI"), "this test creates files of another user: run it as root")
	t.Log("NOT RUN: this test creates files of another user, and needs root")
	t.SkipNow()
}

// giveAway makes the other user the owner of files.
func (w *world) giveAway(paths ...string) {
	w.Helper()
	for _, path := range paths {
		w.check(filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, otherUser, otherUser)
		}))
	}
}

// put is write with the directories that it takes.
func (w *world) put(file, content string) {
	w.Helper()
	w.check(os.MkdirAll(filepath.Dir(file), 0o755))
	w.write(file, content)
}

const allow = "CRDCTL_SAFE_DIRECTORY"

// What another user has put into a directory that all may write, such as /tmp, is neither executed nor connected to.
func TestAnotherUser(t *testing.T) {
	needsRoot(t)
	w := newWorld(t)
	open := filepath.Join(w.dir, "open")
	victim := filepath.Join(open, "victims", "dir")
	crd := filepath.Join(victim, "crd.yaml")
	w.put(crd, otherCRD)
	w.check(os.Chmod(open, 0o777|fs.ModeSticky))
	ran := filepath.Join(open, "ran")
	settings, state := filepath.Join(open, "crdctl.yaml"), filepath.Join(open, ".crdctl")
	w.put(settings, "apiVersion: crdctl.dev/v1alpha1\nkind: Project\napis: [x]\nloop: {hook: \"touch "+ran+"\"}\n")
	w.put(filepath.Join(state, "kubeconfig"), `apiVersion: v1
kind: Config
current-context: crdctl
clusters: [{name: crdctl, cluster: {server: "https://127.0.0.1:1", insecure-skip-tls-verify: true}}]
contexts: [{name: crdctl, context: {cluster: crdctl, user: crdctl}}]
users: [{name: crdctl, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [`+ran+`], interactiveMode: Never}}}]
`)
	w.giveAway(settings, state)
	refuses := func(dir, object string, env ...string) {
		t.Helper()
		for _, args := range [][]string{{"kubectl", "get", "pods"}, {"kubectl", "config", "view"}, {"run", "--builtin", "-f", crd}, {"cluster", "start"}, {"cluster", "status"}} {
			stdout, stderr, err := w.tryWith(env, dir, crdctl, args...)
			if exitCode(err) != 2 || !strings.HasPrefix(stderr, "crdctl: "+object+": ") || !strings.Contains(stderr, allow+"=") || stdout != "" {
				t.Errorf("%s in %s: %v\n%s%s\nwant exit code 2 because of %s", strings.Join(args, " "), dir, err, stdout, stderr, object)
			}
		}
	}
	refuses(victim, settings)
	// To be the user who called sudo is for root to say, and this user is another one.
	refuses(victim, settings, "SUDO_UID="+strconv.Itoa(otherUser+1))
	refuses(victim, settings, allow+"="+victim)
	for _, env := range []string{allow + "=" + open, "SUDO_UID=" + strconv.Itoa(otherUser)} {
		// The user is trusted; the kubeconfig still is none of crdctl's.
		_, stderr, err := w.tryWith([]string{env}, victim, crdctl, "kubectl", "get", "pods")
		if exitCode(err) != 2 || strings.Contains(stderr, allow) || !strings.Contains(stderr, filepath.Join(state, "kubeconfig")) {
			t.Errorf("with %s: %v\n%s", env, err, stderr)
		}
	}
	// The owner comes before what is in the file.
	w.check(os.Remove(settings))
	w.put(settings, "apis: [")
	w.giveAway(settings)
	refuses(victim, settings)
	w.check(os.Remove(settings))
	refuses(open, state)
	_, err := os.Stat(ran)
	assert.Error(t, err, "a program of the other user was executed")
}

// What checks and generates takes any project: in CI another user checks it out. Temporary directories of others are left alone.
func TestProjectOfAnotherUser(t *testing.T) {
	needsRoot(t)
	w := newWorld(t)
	foreign := filepath.Join(w.tmp, "crdctl-run-1")
	kept := filepath.Join(foreign, "docs", "thesis.txt")
	w.put(kept, "years")
	w.put(filepath.Join(foreign, "lock"), "")
	w.giveAway(foreign)

	dir := w.crontab() // which sweeps, as each command with temporary files does
	_, err := os.Stat(kept)
	assert.NoError(t, err)
	w.giveAway(dir)
	for _, args := range [][]string{{"verify"}, {"generate"}} {
		w.run(dir, crdctl, args...)
	}
	if _, stderr, err := w.try(dir, crdctl, "run"); exitCode(err) != 2 || !strings.HasPrefix(stderr, "crdctl: "+dir+": ") {
		t.Errorf("run: %v\n%s", err, stderr)
	}
	_, err = os.Stat(kept)
	assert.NoError(t, err)
}
