package fields

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/crdctl/crdctl/internal/crd/sample"
)

// guess is a value that is likely to keep the rules.
func (f *Field) guess(n int) any {
	r := &f.rules
	switch {
	case f.typ.enum != nil:
		return f.typ.enum[n%len(f.typ.enum)]
	case len(r.enum) > 0:
		return r.enum[n%len(r.enum)]
	}
	v, ok := names[f.typ.family][f.name]
	if !ok {
		v = plain[f.typ.family]
	}
	switch f.typ.family {
	case boolean:
		return n%2 == 0
	case number:
		return f.guessNumber(v.(int64), int64(n))
	case instant:
		if strings.HasSuffix(f.typ.base, "MicroTime") {
			return fmt.Sprintf("2026-01-31T12:%02d:00.000000Z", n%60)
		}
		return fmt.Sprintf("2026-01-31T12:%02d:00Z", n%60)
	case text:
		return f.guessText(v.(string), n)
	}
	return v
}

func (f *Field) guessNumber(v, n int64) any {
	r := &f.rules
	v = max(v, r.bound("min", v))
	if high, ok := r.bounds["max"]; ok && v+n > high {
		v = max(r.bound("min", high-n), high-n)
	}
	v += n
	if m := r.bound("multipleOf", 1); m > 1 {
		up := v + (m-v%m)%m
		if f.checkRules(up) != nil && f.checkRules(up-m) == nil {
			up -= m
		}
		return up
	}
	return v
}

func (f *Field) guessText(v string, n int) any {
	r := &f.rules
	if k, ok := kubernetesTexts[f.typ.base]; ok {
		v = k
	}
	if r.format != "" {
		v = formats[r.format]
	}
	if n > 0 && r.format == "" {
		v = fmt.Sprintf("%s-%d", v, n+1)
	}
	if f.typ.known == nil && f.typ.single() && r.pattern == "" && r.format == "" {
		for int64(utf8.RuneCountInString(v)) < min(r.bound("minLength", 0), 1<<12) {
			v += "e"
		}
		if high := r.bound("maxLength", 1<<30); int64(len(v)) > high {
			v = v[:high]
		}
	}
	if r.pattern == "" || f.checkRules(v) == nil {
		return v
	}
	for extra := range 64 {
		if made := sample.Matching(r.pattern, extra+n); f.checkRules(made) == nil {
			return made
		}
	}
	return v
}
