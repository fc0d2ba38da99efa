// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"slices"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	celnames "k8s.io/apiserver/pkg/cel"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// rules finds rules of CEL that are new or changed. A rule that only looks at objects with fields that are new, too, breaks none.
func (v *version) rules(path []string, was, is *props) {
	removed := without(was.XValidations, is.XValidations)
	added := without(is.XValidations, was.XValidations)
	fresh, defaulted := map[string]bool{}, map[string]string{}
	if len(added) > 0 {
		newNames(was, is, fresh, defaulted)
	}
	for _, r := range added {
		if guarded(r.Rule, fresh) || movedUp(r, was, is) || holdsByDefault(r.Rule, defaulted) || slices.ContainsFunc(removed, func(o apiextv1.ValidationRule) bool { return loosened(o.Rule, r.Rule) }) {
			continue
		}
		e := v.tightened(path)
		if m := needs.FindStringSubmatch(r.Rule); mentions(r.Rule, fresh) && (m == nil || !fresh[m[1]]) {
			e = min(e, risks)
		}
		if or(was.XListType, "atomic") != or(is.XListType, "atomic") {
			e = min(e, risks) // it may say what the list type said before
		}
		words := []string{text.Shorten(r.Rule, 40), r.Rule, "xvalidation"}
		if i := slices.IndexFunc(removed, func(o apiextv1.ValidationRule) bool { return isChanged(o, r, len(removed) == 1 && len(added) == 1) }); i >= 0 {
			was, is := differing(removed[i].Rule, r.Rule)
			removed = slices.Delete(removed, i, i+1)
			v.at("cel-changed", min(e, risks), path, words, "the rule changed from %q to %q", was, is)
			v.all.list[len(v.all.list)-1].rule = refusal(r)
			continue
		}
		if strings.Contains(r.Rule, "oldSelf") {
			v.at("immutable-added", e, path, words, "updates must now keep the rule %q", text.Shorten(r.Rule, 120))
			continue
		}
		lock := ""
		if len(path) == 0 {
			lock = "; a stored object that breaks it can no longer be updated at all, neither its status nor its finalizers: the controller is locked out"
		}
		v.at("cel-added", e, path, words, "objects must now keep the rule %q%s", text.Shorten(r.Rule, 120), lock)
		v.all.list[len(v.all.list)-1].rule = refusal(r)
	}
}

// refusal is what the API server says of an object that breaks a rule, in one line; empty if an expression makes it.
func refusal(r apiextv1.ValidationRule) string {
	switch {
	case r.MessageExpression != "":
		return ""
	case r.Message != "":
		return strings.Join(strings.Fields(r.Message), " ")
	}
	return strings.Join(strings.Fields(r.Rule), " ")
}

// without are the rules that others do not have, but for white space.
func without(rules, others apiextv1.ValidationRules) (rest []apiextv1.ValidationRule) {
	for _, r := range rules {
		if !slices.ContainsFunc(others, func(o apiextv1.ValidationRule) bool {
			return slices.Equal(lexemes(o.Rule), lexemes(r.Rule))
		}) {
			rest = append(rest, r)
		}
	}
	return rest
}

// lexemes are the parts of a rule, with names as they are in objects: CEL takes self.namespace and self.__namespace__ for the same field.
func lexemes(rule string) []string {
	all := lexeme.FindAllString(rule, -1)
	for i, word := range all {
		if name, ok := celnames.Unescape(word); ok && strings.HasPrefix(word, "__") {
			all[i] = name
		}
	}
	return all
}

// newNames collects the names of fields that are new below a field: those without a default, and those with one, as JSON.
func newNames(was, is *props, into map[string]bool, defaulted map[string]string) {
	for name := range is.Properties {
		after := is.Properties[name]
		if before, known := was.Properties[name]; known {
			newNames(&before, &after, into, defaulted)
		} else if after.Default == nil {
			into[name] = true
			if escaped, ok := celnames.Escape(name); ok {
				into[escaped] = true
			}
		} else {
			defaulted[name] = compact(after.Default.Raw)
		}
	}
	for _, of := range []func(*props) *props{project.ItemsOf, project.ValuesOf} {
		if before, after := of(was), of(is); before != nil && after != nil {
			newNames(before, after, into, defaulted)
		}
	}
}

// movedUp reports whether a field of the object, which it cannot lack, had the rule before.
func movedUp(r apiextv1.ValidationRule, was, is *props) bool {
	for name, field := range was.Properties {
		if !slices.Contains(was.Required, name) || !slices.Contains(is.Required, name) {
			continue
		}
		for _, below := range field.XValidations {
			below.Rule = itself.ReplaceAllString(below.Rule, "${1}."+name)
			if below.OptionalOldSelf == nil && r.OptionalOldSelf == nil && len(without(apiextv1.ValidationRules{r}, apiextv1.ValidationRules{below})) == 0 {
				return true
			}
		}
	}
	return false
}

var (
	itself     = lazyregexp.New(`\b(self|oldSelf)\b`)
	identifier = lazyregexp.New(`[A-Za-z_][A-Za-z0-9_]*`)
	// A lexeme is a raw string, a string, a comment with the end of its line, a word or a sign.
	lexeme = lazyregexp.New(`(?s)[bB]?[rR](?:""".*?"""|'''.*?'''|"[^"]*"|'[^']*')` +
		`|"""(?:\\.|[^\\])*?"""|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|//[^\n]*\n?|\w+|\S`)
	// A rule that begins with the first holds where the field is not set, and one of the second form where one of the two fields is not.
	unset   = lazyregexp.New(`^!\s*has\(\s*self\.([\w.]+)\s*\)\s*\|\|`)
	notBoth = lazyregexp.New(`^!\s*\(\s*has\(\s*self\.([\w.]+)\s*\)\s*&&\s*has\(\s*self\.([\w.]+)\s*\)\s*\)$`)
	onlySet = lazyregexp.New(`^\(?\s*has\(\s*self\.([\w.]+)\s*\)\s*\)?\s*\?.*:\s*true$`)
	// A rule of this form holds only where the field is set.
	needs = lazyregexp.New(`^\s*has\(\s*self\.(\w+)\s*\)\s*(?:&&[^|?]*)?$`)
)

// mentions reports whether a rule has one of the names in it.
func mentions(rule string, names map[string]bool) bool {
	return slices.ContainsFunc(identifier.FindAllString(rule, -1), func(s string) bool { return names[s] })
}

// guarded reports whether a rule surely holds for objects without the new fields.
func guarded(rule string, names map[string]bool) bool {
	rule = strings.Join(strings.Fields(rule), " ")
	for _, form := range []*lazyregexp.Regexp{unset, notBoth, onlySet} {
		if m := form.FindStringSubmatch(rule); m != nil {
			for _, path := range m[1:] {
				if slices.ContainsFunc(strings.Split(path, "."), func(name string) bool { return names[name] }) {
					return true
				}
			}
		}
	}
	return false
}

// otherThan is the beginning of a rule that holds where a field is not a text.
var otherThan = lazyregexp.New(`^self\.(\w+)\s*!=\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*\|\|`)

// holdsByDefault reports whether a rule surely holds for objects in which new fields have their defaults.
func holdsByDefault(rule string, defaulted map[string]string) bool {
	m := otherThan.FindStringSubmatch(strings.Join(strings.Fields(rule), " "))
	if m == nil {
		return false
	}
	value, ok := defaulted[m[1]]
	return ok && value != strconv.Quote(m[2]+m[3])
}

// isChanged reports whether a rule most likely was another one before: it says the same of what it refuses, or names almost the same.
func isChanged(old, now apiextv1.ValidationRule, only bool) bool {
	if only || old.Message != "" && old.Message == now.Message {
		return true
	}
	was, is := sortedSet(identifier.FindAllString(old.Rule, -1)), sortedSet(identifier.FindAllString(now.Rule, -1))
	return len(less(was, is))+len(less(is, was)) <= (len(was)+len(is))/4
}

// loosened reports whether a rule is another one, or something else.
func loosened(old, now string) bool {
	old, now = strings.Join(strings.Fields(old), " "), strings.Join(strings.Fields(now), " ")
	return !strings.Contains(now, "?") && (strings.HasPrefix(now, old+" ||") || strings.HasPrefix(now, "("+old+") ||"))
}

// differing are two rules from a little before they differ, shortened.
func differing(a, b string) (string, string) {
	const before, length = 30, 120
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	cut := func(s string) string {
		if i > before && len(s) > length {
			s = "…" + strings.ToValidUTF8(s[min(i, len(s))-before:], "")
		}
		return text.Shorten(s, length)
	}
	return cut(a), cut(b)
}
