// SPDX-License-Identifier: Apache-2.0

// Package envtest prepares what controller-runtime's envtest and setup-envtest look for: directories with etcd, kube-apiserver and
// kubectl, which are this program by other names, and the environment of a test. It finds out what the tests of a project ask for.
//
// It starts nothing: the programs are in packages standalone and kubectl, and cmd runs the tests.
package envtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/standalone"
)

// Programs are the names by which this program is another one.
var Programs = []string{"etcd", "kube-apiserver", "kubectl"}

// Version is the version that answers where none is asked for, without the v, as setup-envtest has it.
func Version() string { return strings.TrimPrefix(controlplane.KubernetesVersion, "v") }

// Path makes the directory of the programs in the user's cache, or brings it up to date, and returns it. Its name says which version is
// asked for.
func Path(asked string) (string, error) {
	self, err := program()
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "k8s-"+key(self), versionDir(asked))
	return dir, fill(dir, self)
}

// Seed makes the directory of the programs below binDir, where setup-envtest keeps those that it downloads.
func Seed(binDir, asked string) (string, error) {
	self, err := program()
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(filepath.Join(binDir, "k8s", versionDir(asked)))
	if err != nil {
		return "", err
	}
	if err := foreign(dir, self); err != nil {
		return "", err
	}
	return dir, fill(dir, self)
}

// versionDir is setup-envtest's name for the directory of a version: three numbers, without a v, since the API server and setup-envtest find
// no version in any other name.
func versionDir(asked string) string {
	name := asked
	if v, err := version.ParseGeneric(asked); err == nil {
		name = fmt.Sprintf("%d.%d.%d", v.Major(), v.Minor(), v.Patch())
	}
	return fmt.Sprintf("%s-%s-%s", name, runtime.GOOS, runtime.GOARCH)
}

// Environ returns the environment for a test that is served from dir.
func Environ(env []string, dir string, controllers bool) []string {
	var kept []string
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "TEST_ASSET_"), // they would come first
			name == "KUBEBUILDER_ASSETS", name == "ENVTEST_USE_ENV", name == "ENVTEST_INSTALLED_ONLY", name == standalone.ControllersVariable:
		default:
			kept = append(kept, e)
		}
	}
	kept = append(kept, "KUBEBUILDER_ASSETS="+dir, "ENVTEST_USE_ENV=1", "ENVTEST_INSTALLED_ONLY=1")
	if controllers {
		kept = append(kept, standalone.ControllersVariable+"=1")
	}
	return kept
}

// foreign returns an error if there is a program in dir that is not this one: an official one is kept.
func foreign(dir, self string) error {
	for _, name := range Programs {
		path := filepath.Join(dir, executable(name))
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 || isCopy(path, self) {
			continue
		}
		return fmt.Errorf("%s is another program; remove %s, or name another version with --kubernetes-version", path, dir)
	}
	return nil
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
