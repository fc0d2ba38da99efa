package cmd

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
)

// docs/settings.md has a row for each field of crdctl.yaml and each flag of the settings.
func TestSettingsAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	projectPart, clientPart, found := strings.Cut(string(data), "## A client tree")
	if !found {
		t.Fatal("there is no section on client trees")
	}
	for name, section := range map[string]struct {
		text   string
		fields []string
	}{
		"the project": {projectPart, fieldsOf(reflect.TypeFor[config.Project](), "")},
		"client tree": {clientPart, fieldsOf(reflect.TypeFor[config.Client](), "")},
	} {
		if len(section.fields) < 15 {
			t.Errorf("%s: only %v", name, section.fields)
		}
		for _, field := range section.fields {
			// In the first column, alone or beside another.
			if !regexp.MustCompile("(?m)^\\|[^|]*`" + regexp.QuoteMeta(field) + "`").MatchString(section.text) {
				t.Errorf("docs/settings.md, %s, has no row for %s", name, field)
			}
		}
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	settingsFlags(flags)
	flags.AddFlagSet((&loopFlags{}).bind("namespace", "n"))
	known := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) {
		known[f.Name] = true
		if !strings.Contains(string(data), "| `--"+f.Name+"`") {
			t.Errorf("docs/settings.md has no row for --%s", f.Name)
		}
	})
	for _, m := range regexp.MustCompile("(?m)^\\|[^|]*\\| `--([a-z-]+)`").FindAllStringSubmatch(string(data), -1) {
		if !known[m[1]] {
			t.Errorf("docs/settings.md has --%s, which there is not", m[1])
		}
	}
}

// fieldsOf are the names that a struct has in crdctl.yaml, with those of the structs in it. Lists are documented apart.
func fieldsOf(s reflect.Type, prefix string) (names []string) {
	for _, field := range reflect.VisibleFields(s) {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		names = append(names, prefix+name)
		if field.Type.Kind() == reflect.Struct {
			names = append(names, fieldsOf(field.Type, prefix+name+".")...)
		}
	}
	return names
}
