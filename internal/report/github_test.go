// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// parse reads a workflow command as the runner does: it splits first and unescapes then.
func parse(line string) (name, message string, properties map[string]string, ok bool) {
	info, message, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	name, list, _ := strings.Cut(info, " ")
	properties = map[string]string{}
	for p := range strings.SplitSeq(list, ",") {
		if key, value, ok := strings.Cut(p, "="); ok {
			properties[key] = unescape(value, "%3A", ":", "%2C", ",")
		}
	}
	return name, unescape(message), properties, ok
}

// unescape replaces one after the other, the percent sign last.
func unescape(s string, more ...string) string {
	pairs := append([]string{"%0D", "\r", "%0A", "\n"}, more...)
	for i := 0; i < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, pairs[i], pairs[i+1])
	}
	return strings.ReplaceAll(s, "%25", "%")
}

func FuzzCommand(f *testing.F) {
	for _, s := range []string{"", "a b.go", "100%", "%0A", "%250A", "a,b=c:d", "::error::x", "line\r\nline\n", "é\xff\x00", "::", " ", "=,="} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, message, file, title string) {
		line := command("error", message, "file", file, "title", title)
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") || strings.Contains(line, "\r") {
			t.Fatalf("not one line: %q", line)
		}
		name, gotMessage, properties, ok := parse(strings.TrimSuffix(line, "\n"))
		if !ok || name != "error" || gotMessage != message || properties["file"] != file || properties["title"] != title || len(properties) != 2 {
			t.Errorf("%q: read as %q %q %q", line, name, gotMessage, properties)
		}
	})
}

func TestCommand(t *testing.T) {
	assert.Equal(t, "::error file=a%2Cb%3Ac.go,title=50%25::100%25%0D%0Aof a:b,c\n", command("error", "100%\r\nof a:b,c", "file", "a,b:c.go", "title", "50%"))
}
