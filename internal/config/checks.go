// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/labels"
)

// The largest numbers that are taken. Shards are bounded by what is written for them: one request for each of them and retry of
// a lease; an answer by the memory that it takes many times over.
const (
	MaxLoopAnswer = 1 << 30
	MaxLoopShards = 256
)

// local checks a path in the file.
func local(value string) error {
	switch {
	case strings.ContainsFunc(value, unicode.IsControl):
		return fmt.Errorf("%q has a control character; remove it", value)
	case value != "" && (!filepath.IsLocal(filepath.FromSlash(value)) || strings.Contains(value, `\`)):
		return fmt.Errorf("%q must be a path below the directory of %s, with forward slashes", value, FileName)
	case slices.ContainsFunc(strings.Split(value, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }):
		return fmt.Errorf("%q is in git's own directory; name one of the project", value)
	}
	return nil
}

func openAPISchema(value string) error {
	if BuiltSchema(value) {
		return nil
	}
	return local(value)
}

func openAPIVersion(v string) error {
	return moduleVersion(v, "k8s.io/kube-openapi", "v0.0.0-20260520065146-aa012df4f4af")
}

func gengoVersion(v string) error {
	return moduleVersion(v, "k8s.io/gengo/v2", "v2.0.0-20250922181213-ec3ebc5fd46b")
}

func moduleVersion(v, path, example string) error {
	if !module.IsPseudoVersion(v) && (!semver.IsValid(v) || semver.Canonical(v) != v) {
		return fmt.Errorf("%q must be a version of %s, for example %s", v, path, example)
	}
	return nil
}

func helper(name string) error {
	if !slices.Contains(Helpers, name) {
		return fmt.Errorf("%q is not known; the generators that write next to the types are %s", name, strings.Join(Helpers, ", "))
	}
	return nil
}

func severity(value string) error {
	if value != "error" && value != MarkerNotes {
		return fmt.Errorf("%q must be error or %s", value, MarkerNotes)
	}
	return nil
}

func release(v string) error {
	if !semver.IsValid(v) || semver.Canonical(v) != v {
		return fmt.Errorf("%q must be a version of k8s.io/code-generator, for example v0.35.2", v)
	}
	return nil
}

// directory checks a name in a client tree. Mostly it is one name; some trees keep a part deeper, and some their clientset at the top.
func directory(name string) error {
	if path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, `\`) {
		return fmt.Errorf("%q must be the name of a directory in the tree", name)
	}
	return nil
}

func versionedName(name string) error {
	if err := directory(name); err != nil || token.IsIdentifier(name) {
		return err
	}
	return fmt.Errorf("%q must be the name of a Go package, for example versioned", name)
}

func applyConfigurationName(name string) error {
	if err := directory(name); err != nil || token.IsIdentifier(path.Base(name)) {
		return err
	}
	return fmt.Errorf("%q must end in the name of a Go package, for example applyconfiguration", name)
}

func port(n int64) error {
	if n < 0 || n > 65535 {
		return fmt.Errorf("must be a port from 1 to 65535, got %d", n)
	}
	return nil
}

// maxName is the longest label of DNS.
const maxName = 63

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// IsDNSLabel reports whether a text can be the name of a namespace, and so part of any other name.
func IsDNSLabel(text string) bool { return len(text) <= maxName && dnsLabel.MatchString(text) }

func dnsName(name string) error {
	if !IsDNSLabel(name) {
		return fmt.Errorf("%q must be lower-case letters, digits and hyphens, %d at most, for example crontab", name, maxName)
	}
	return nil
}

func namespace(name string) error {
	if !IsDNSLabel(name) {
		return fmt.Errorf("%q is not a valid namespace name; use lower-case letters, digits and hyphens", name)
	}
	return nil
}

func command(text string) error {
	_, err := ParseCommand(text)
	return err
}

func objectKind(text string) error {
	_, err := ParseObjectKind(text)
	return err
}

func selector(text string) error {
	if _, err := labels.Parse(text); err != nil {
		return fmt.Errorf("%w; write for example app=x,tier!=test", err)
	}
	return nil
}

func shardBy(text string) error {
	if text != ShardByKey && text != ShardByNamespace {
		return fmt.Errorf("%q must be %s or %s", text, ShardByKey, ShardByNamespace)
	}
	return nil
}

// positive checks a number of T.
func positive[T int64 | time.Duration](n int64) error {
	if n > 0 {
		return nil
	}
	if _, ok := any(T(n)).(time.Duration); ok {
		return fmt.Errorf("must be more than 0s, got %v", T(n))
	}
	return fmt.Errorf("must be at least 1, got %d", n)
}

func upTo(most int64, words string) func(int64) error {
	return func(n int64) error {
		if n > most {
			return fmt.Errorf("must be at most %[2]d%[3]s, got %[1]d", n, most, words)
		}
		return positive[int64](n)
	}
}

func notNegative(n int64) error {
	if n < 0 {
		return fmt.Errorf("must not be negative, got %s", time.Duration(n))
	}
	return nil
}

func qps(n int64) error {
	if n < -1 || n == 0 {
		return fmt.Errorf("must be at least 1, or -1 for no limit, got %d", n)
	}
	return nil
}

// lease checks a duration: a Lease says it in whole seconds.
func lease(n int64) error {
	if d := time.Duration(n); d < time.Second {
		return fmt.Errorf("%s is too short to renew a lease; it must be at least %s, for example 15s", d, time.Second)
	}
	return nil
}
