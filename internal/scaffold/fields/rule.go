package fields

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// rules are what is said of a field beside its type.
type rules struct {
	required, optional, nullable, immutable bool

	// bounds are min, max, minLength, maxLength, minItems, maxItems, minProperties, maxProperties and multipleOf.
	bounds map[string]int64

	pattern, format string
	enum            []any
	listType        string
	listMapKeys     []string
	cel             []celRule
	desc            string
	column          *columnRule

	// Texts of values are read when all fields are known: those of an object depend on its fields.
	defaultText, exampleText *string
	defaults, example        any
}

type celRule struct{ rule, message string }

type columnRule struct {
	name     string
	priority int
}

// rule is one of the rules of the language.
type rule struct {
	value string // what the value is, for errors; empty if the rule has none
	free  bool   // the value may be left out
	many  bool   // it can be said more than once
	fits  func(typ) error
	set   func(f *Field, value string) error
}

// ruleTable has all rules by their names. It is a function because the rules need the types, whose errors name rules.
var ruleTable = sync.OnceValue(func() map[string]rule {
	flag := func(fits func(typ) error, set func(*rules)) rule {
		return rule{fits: fits, set: func(f *Field, _ string) error { set(&f.rules); return nil }}
	}
	word := func(value string, fits func(typ) error, set func(*Field, string) error) rule {
		return rule{value: value, fits: fits, set: set}
	}
	table := map[string]rule{
		"required":  flag(anyType, func(r *rules) { r.required = true }),
		"optional":  flag(anyType, func(r *rules) { r.optional = true }),
		"nullable":  flag(anyType, func(r *rules) { r.nullable = true }),
		"immutable": flag(anyType, func(r *rules) { r.immutable = true }),
		"pattern":   word("a regular expression", needs("pattern", text), setPattern),
		"format":    word("the name of a format, such as date-time", needs("format", text), setFormat),
		"enum":      word("values with commas between them", needs("enum", text, number), setEnum),
		"listType":  word("atomic, set or map", needsList("listType"), setListType),
		"desc": word("a text", anyType, func(f *Field, v string) error {
			f.rules.desc = strings.TrimSpace(v)
			return nil
		}),
		"default": word("a value", anyType, func(f *Field, v string) error {
			f.rules.defaultText = &v
			return nil
		}),
		"example": word("a value", anyType, func(f *Field, v string) error {
			f.rules.exampleText = &v
			return nil
		}),
	}
	table["listMapKey"] = rule{value: "the name of a field of the list's objects", many: true, fits: needsList("listMapKey"), set: setListMapKey}
	table["cel"] = rule{value: `"RULE;MESSAGE"`, many: true, fits: anyType, set: setCEL}
	table["column"] = rule{value: "a name", free: true, fits: columnFits, set: setColumn}
	for name := range boundsOf {
		table[name] = word("a whole number", boundFits(name), setBound(name))
	}
	return table
})

func ruleNames() []string { return slices.Sorted(maps.Keys(ruleTable())) }

func anyType(typ) error { return nil }

// needs are the families that a rule is for.
func needs(name string, families ...family) func(typ) error {
	return func(t typ) error {
		if !t.single() || !slices.Contains(families, t.family) {
			return fmt.Errorf("%s is for %s, not for %s; leave it out", name, map[bool]string{true: "strings", false: "strings and integers"}[len(families) == 1], t.what())
		}
		if t.enum != nil {
			return fmt.Errorf("%s is not for an enum, whose values are said already; leave it out", name)
		}
		return nil
	}
}

func needsList(name string) func(typ) error {
	return func(t typ) error {
		if !t.list() {
			return fmt.Errorf("%s is for lists, not for %s; leave it out", name, t.what())
		}
		return nil
	}
}

func columnFits(t typ) error {
	if !t.single() || columnTypes[t.family] == "" {
		return fmt.Errorf("column is for values that fit into a cell, not for %s; leave it out", t.what())
	}
	return nil
}
