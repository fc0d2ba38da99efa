package fields

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/gobuffalo/flect"
)

const (
	statusPrefix = "status."
	maxName      = 63 // of one name, as of most names in Kubernetes
	maxDepth     = 8  // names in a path
)

var nameRule = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

// methods are those that generated code has, or would have with one tag more, on every type of an API.
var methods = []string{"DeepCopy", "DeepCopyInto", "OpenAPIModelName"}

// given are the fields that every status has.
var given = map[string]bool{"ObservedGeneration": true, "Conditions": true}

// segment is one part of a path: the name, and whether it is a list or a map whose elements the next part is in.
type segment struct{ name, into string }

// splitPath takes a path apart and checks each name.
func splitPath(path string) ([]segment, error) {
	parts := strings.Split(path, ".")
	if len(parts) > maxDepth {
		return nil, fmt.Errorf("%s is a path of %d names; %d is the most", path, len(parts), maxDepth)
	}
	segments := make([]segment, len(parts))
	for i, p := range parts {
		seg := segment{name: p}
		for _, into := range []string{"[]", "{}"} {
			if name, ok := strings.CutSuffix(p, into); ok {
				seg = segment{name, into}
			}
		}
		switch {
		case !nameRule.MatchString(seg.name):
			return nil, fmt.Errorf("the name %q must be lowerCamelCase of ASCII letters and digits, for example cronSpec", seg.name)
		case len(seg.name) > maxName:
			return nil, fmt.Errorf("the name %q is %d characters long; %d is the most", seg.name, len(seg.name), maxName)
		case i == len(parts)-1 && seg.into == "[]":
			return nil, fmt.Errorf("a list is said by the type; write %s:[]TYPE, or %s.NAME:TYPE for a list of objects", strings.TrimSuffix(path, "[]"), path)
		case i == len(parts)-1 && seg.into == "{}":
			return nil, fmt.Errorf("a map is said by the type; write %s:map[string]TYPE, or %s.NAME:TYPE for a map of objects", strings.TrimSuffix(path, "{}"), path)
		}
		for _, m := range methods {
			if goName(seg.name) == m {
				return nil, fmt.Errorf("%s is the name of a generated method; choose another", m)
			}
		}
		segments[i] = seg
	}
	return segments, nil
}

// initialisms are the words that Go names write in capitals.
var initialisms = map[string]bool{
	"api": true, "cpu": true, "dns": true, "http": true, "https": true, "id": true, "ip": true, "json": true, "sql": true,
	"ssh": true, "tcp": true, "tls": true, "ttl": true, "udp": true, "uid": true, "uri": true, "url": true, "uuid": true, "yaml": true,
}

// goName is a name of JSON in Go.
func goName(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		b.WriteString(goWord(w))
	}
	return b.String()
}

func goWord(w string) string {
	if initialisms[strings.ToLower(w)] {
		return strings.ToUpper(w)
	}
	return upperFirst(w)
}

// goSingular is the name in Go of one element of a list or map.
func goSingular(name string) string {
	all := words(name)
	last := all[len(all)-1]
	single := flect.Singularize(strings.ToLower(last))
	switch {
	case !nameRule.MatchString(single):
		single = last
	case strings.HasPrefix(strings.ToLower(last), single):
		single = last[:len(single)] // with the capitals that it has: podCIDRs
	}
	all[len(all)-1] = single
	var b strings.Builder
	for _, w := range all {
		b.WriteString(goWord(w))
	}
	return b.String()
}

// prose is a name in words.
func prose(name string) string { return strings.ToLower(strings.Join(words(name), " ")) }

// words splits a name where a capital begins.
func words(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	for i := 1; i < len(runes); i++ {
		if unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) {
			words = append(words, string(runes[start:i]))
			start = i
		}
	}
	return append(words, string(runes[start:]))
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
