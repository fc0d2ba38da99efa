// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/workspace"
)

// versionVariable is an assignment, in a Makefile, of the version for which setup-envtest is asked. Projects name the variable in several ways.
var versionVariable = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?([A-Z0-9_]*ENVTEST[A-Z0-9_]*(?:K8S|KUBERNETES|KUBE)[A-Z0-9_]*VERSION[A-Z0-9_]*)[ \t]*(?:\?|:|::)?=[ \t]*([^#\n]*)`)

// number is a version as it may be written there.
var number = regexp.MustCompile(`^v?(\d+\.\d+(?:\.\d+)?)(?:\.x|!)?$`)

// variables of the environment that say the same.
var variables = []string{"ENVTEST_K8S_VERSION", "ENVTEST_KUBERNETES_VERSION", "KUBEBUILDER_ENVTEST_KUBERNETES_VERSION"}

// Asked returns the version of Kubernetes that the project in root asks setup-envtest for, and where that is written; "" if it names
// none, or the latest.
func Asked(root string) (version, where string, err error) {
	for _, name := range variables {
		if m := number.FindStringSubmatch(os.Getenv(name)); m != nil {
			return m[1], "$" + name, nil
		}
	}
	for _, pattern := range []string{"Makefile", "GNUmakefile", "*.mk", "make/*.mk", "hack/*.mk", "build/*.mk"} {
		files, err := workspace.Glob(root, pattern)
		if err != nil {
			return "", "", err
		}
		for _, file := range files {
			version, line, err := askedIn(root, file)
			if err != nil {
				return "", "", err
			}
			if version != "" {
				rel, err := filepath.Rel(root, file)
				return version, fmt.Sprintf("%s:%d", filepath.ToSlash(rel), line), err
			}
		}
	}
	return "", "", nil
}

func askedIn(root, file string) (version string, line int, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", 0, err
	}
	for _, at := range versionVariable.FindAllSubmatchIndex(content, -1) {
		value := strings.TrimSpace(string(content[at[4]:at[5]]))
		line := 1 + strings.Count(string(content[:at[2]]), "\n")
		if m := number.FindStringSubmatch(strings.Trim(value, `"'`)); m != nil {
			return m[1], line, nil
		}
		// kubebuilder's Makefile computes it of go.mod: k8s.io/api v0.36.1 is Kubernetes 1.36.
		if strings.Contains(value, "k8s.io/api") {
			version, err := apiVersion(root)
			return version, line, err
		}
	}
	return "", 0, nil
}

func apiVersion(root string) (string, error) {
	content, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	mod, err := modfile.ParseLax("go.mod", content, nil)
	if err != nil {
		return "", err
	}
	for _, r := range mod.Require {
		if rest, ok := strings.CutPrefix(r.Mod.Version, "v0."); ok && r.Mod.Path == "k8s.io/api" {
			minor, _, _ := strings.Cut(rest, ".")
			return "1." + minor, nil
		}
	}
	return "", nil
}
