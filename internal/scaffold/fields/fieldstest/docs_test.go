package fieldstest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

var (
	quoted = regexp.MustCompile(`(?m)^\|.*$`)
	arg    = regexp.MustCompile("`([a-z][^` ]*:[^`]*)`")
	first  = regexp.MustCompile(`^(status\.)?[A-Za-z0-9]+`)
)

// The API server takes what all lines of the tables in docs/fields.md make, in as few projects as their names allow.
func TestDocsAreTaken(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/fields.md")
	if err != nil {
		t.Fatal(err)
	}
	var turns [][]string
	var names []map[string]bool
	for _, line := range quoted.FindAllString(string(text), -1) {
		for _, m := range arg.FindAllStringSubmatch(line, -1) {
			if _, err := fields.Parse([]string{m[1]}, fields.Options{Kind: "Widget", Status: true}); err != nil {
				continue // what is no --field; the tables' own test finds those that should be
			}
			name, turn := strings.ToLower(first.FindString(m[1])), 0
			for turn < len(turns) && names[turn][name] {
				turn++
			}
			if turn == len(turns) {
				turns, names = append(turns, nil), append(names, map[string]bool{})
			}
			turns[turn], names[turn][name] = append(turns[turn], m[1]), true
		}
	}
	if len(turns) == 0 || len(turns[0]) < 30 {
		t.Fatalf("too few lines were found: %q", turns)
	}
	for _, args := range turns {
		w := newWorld(t, args...)
		if said := w.refused(t, w.sample); said != "" {
			t.Errorf("%s\n%s", said, w.read(t, "config/samples/widget.yaml"))
		}
	}
}
