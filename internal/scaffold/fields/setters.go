package fields

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// formats are those that the API server checks, with a value of each. It takes others too, and checks nothing then.
var formats = map[string]string{
	"byte": "ZXhhbXBsZQ==", "cidr": "10.0.0.0/8", "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "duration": "30s",
	"email": "someone@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"k8s-long-name": "example.com", "k8s-short-name": "example", "mac": "00:00:5e:00:53:01", "password": "example",
	"uri": "https://example.com", "uuid": "00000000-0000-4000-8000-000000000000",
}

func setFormat(f *Field, value string) error {
	if formats[value] == "" {
		names := slices.Sorted(maps.Keys(formats))
		if near := nearest(value, names); near != "" {
			return fmt.Errorf("format: %q is not one that the API server checks; did you mean %s?", value, near)
		}
		return fmt.Errorf("format: %q is not one that the API server checks; use one of %s, or a pattern", value, strings.Join(names, ", "))
	}
	f.rules.format = value
	return nil
}

func setEnum(f *Field, value string) error {
	for v := range strings.SplitSeq(value, ",") {
		v = strings.TrimSpace(v)
		var typed any = v
		if f.typ.family == number {
			n, err := integer(f.typ, v)
			if err != nil {
				return fmt.Errorf("enum: %w", err)
			}
			typed = n
		}
		if slices.Contains(f.rules.enum, typed) {
			return fmt.Errorf("enum: %q is there twice; leave one out", v)
		}
		f.rules.enum = append(f.rules.enum, typed)
	}
	return nil
}

func setListType(f *Field, value string) error {
	if !slices.Contains([]string{"atomic", "set", "map"}, value) {
		return fmt.Errorf("listType: %q must be atomic, set or map; choose one of these", value)
	}
	scalar := slices.Contains([]family{text, number, boolean}, f.typ.family)
	if value == "set" && !scalar {
		return fmt.Errorf("listType=set is for lists of strings, integers or bools, not of %s; use listType=map with a listMapKey, or atomic", f.typ.base)
	}
	if value == "map" && f.typ.family != structure && f.typ.family != foreign {
		return fmt.Errorf("listType=map is for lists of objects, not of %s; use listType=set or atomic", f.typ.base)
	}
	f.rules.listType = value
	return nil
}

func setListMapKey(f *Field, value string) error {
	if f.typ.family != structure && f.typ.family != foreign {
		return fmt.Errorf("listMapKey is for lists of objects, not of %s; use listType=set or leave it out", f.typ.base)
	}
	for key := range strings.SplitSeq(value, ",") {
		if !nameRule.MatchString(key) || slices.Contains(f.rules.listMapKeys, key) {
			return fmt.Errorf("listMapKey: %q must be the name of a field of the list's objects, said once; correct it", key)
		}
		f.rules.listMapKeys = append(f.rules.listMapKeys, key)
	}
	return nil
}

// columnName is what makes a heading in a table.
var columnName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9 ._/-]*[A-Za-z0-9])?$`)

// standard are the columns that are there already.
var standard = []string{"Name", "Namespace", "Ready", "Age"}

func setColumn(f *Field, value string) error {
	c := &columnRule{}
	name, priority, ok := strings.Cut(value, ":")
	if ok {
		n, err := strconv.ParseInt(priority, 10, 32)
		if err != nil {
			return fmt.Errorf("column: the priority %q must be 0, or more for a column that only kubectl get -o wide has; correct it", priority)
		}
		c.priority = int(n)
	}
	if c.name = name; c.name == "" {
		c.name = goname.Camel(f.name)
	}
	if !columnName.MatchString(c.name) || len(c.name) > maxName {
		return fmt.Errorf("column: the name %q must be ASCII letters, digits, spaces, dots and hyphens, for example column=Replicas", c.name)
	}
	for _, s := range standard {
		if strings.EqualFold(c.name, s) {
			return fmt.Errorf("column: there is a column %s already; give this one another name, for example column=Is%s", s, s)
		}
	}
	if strings.Contains(f.path, "[]") || strings.Contains(f.path, "{}") {
		return errors.New("column: a field in a list or a map has many values, and a cell holds one; leave it out")
	}
	f.rules.column = c
	return nil
}
