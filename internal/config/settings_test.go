// SPDX-License-Identifier: Apache-2.0

package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaves calls do with the address of every field that a struct has in crdctl.yaml, and of the structs in it.
func leaves(v reflect.Value, prefix string, do func(field string, at any)) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if name == "-" {
			continue
		}
		if v.Field(i).Kind() == reflect.Struct {
			leaves(v.Field(i), prefix+name+".", do)
			continue
		}
		do(prefix+name, v.Field(i).Addr().Interface())
	}
}

// Every field of crdctl.yaml is a setting, and the setting points to that field.
func TestEveryFieldIsASetting(t *testing.T) {
	p := &Project{Clients: []Client{{}}}
	byField, flags := map[string]Setting{}, map[string]string{}
	for _, s := range Settings() {
		byField[s.Field] = s
		flag := s.Flag
		if strings.HasPrefix(s.Field, "docs.") {
			flag = "docs --" + flag // a command that has no others
		}
		if other := flags[flag]; s.Flag != "" && other != "" {
			t.Errorf("--%s is %s and %s", s.Flag, s.Field, other)
		}
		flags[flag] = s.Field
		if s.Usage == "" || s.Flag != "" && len(s.Usage) > 80 {
			t.Errorf("--%s: the usage %q must have 80 characters at most", s.Flag, s.Usage)
		}
	}
	seen := 0
	check := func(field string, at any) {
		seen++
		s, ok := byField[field]
		if !ok {
			t.Errorf("%s is no setting", field)
			return
		}
		if s.Value(p) != at {
			t.Errorf("the setting %s points to another field", field)
		}
		s.fill(p) // panics if the default is of another type
		if s.Default != nil && reflect.ValueOf(at).Elem().IsZero() {
			t.Errorf("%s has no default after all", field)
		}
	}
	leaves(reflect.ValueOf(p).Elem(), "", check)
	leaves(reflect.ValueOf(&p.Clients[0]).Elem(), "clients[0].", check)
	assert.Equal(t, len(byField), seen, "settings")
}

// The pods get what differs from the defaults, and no paths.
func TestLoopArgs(t *testing.T) {
	_, err := Parse(FileName, []byte(loopHead+"  resync: 0s\n"))
	require.NoError(t, err)
	for text, want := range map[string]string{
		"  {}\n":           "--name=x",
		"  resync: 0s\n":   "--name=x --resync=0s",
		"  resync: 30s\n":  "--name=x",
		"  retryFirst: 1m": "--name=x --retry-first=1m0s --retry-last=1m0s",
		"  hook: ./a\n  resync: 30s\n  persistent: true\n  owns: [v1/Pod, v1/Node]\n":                  "--name=x --hook-persistent --owns=v1/Pod --owns=v1/Node --resync=30s",
		"  template: t\n  resync: 0s\n  timeout: 1m\n  selector: a=b\n  kubeAPIQPS: -1\n  shards: 2\n": "--name=x --hook-timeout=1m0s --kube-api-qps=-1 --selector=a=b --shards=2",
	} {
		p, err := Parse(FileName, []byte(head+"apis: [a]\nloop:\n"+text))
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(p.Loop.WithDefaults("x").Args(), " "), text)
	}
}

// Flags are put over settings more than once: a copy shares nothing.
func TestCopySharesNothing(t *testing.T) {
	from, to := &Project{APIs: []string{"a"}}, &Project{}
	for _, s := range GenerateSettings() {
		if s.Field == "apis" {
			s.Copy(to, from)
		}
	}
	to.APIs[0] = "b"
	assert.Equal(t, []string{"a"}, from.APIs, "the flag is now")
}
