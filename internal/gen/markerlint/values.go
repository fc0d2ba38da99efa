// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/text"
)

// release is a version as prerelease-lifecycle-gen reads it.
var release = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// value judges the value of a generator's tag. validation-gen has words of its own for its tags, and of nolint it reads the name alone.
func (r rule) value(f *file, t tag) *problem {
	if !strings.Contains(r.name, "-gen") && r.name != "k8s:conversion-fn" || r.name == "k8s:validation-gen-nolint" {
		return nil
	}
	if err := codegen.CheckTag(t.text); err != nil {
		return mistake("+%s: %s; write +%s=VALUE without spaces around the equals sign", r.name, err, r.name)
	}
	v, ok := t.value()
	bare, _, _ := strings.Cut(v, ",")
	switch r.name {
	case copyTag:
		onType := t.place.has(onType)
		switch {
		case !f.isDoc():
			return oneOf(r.name, bare, "true", "false")
		case onType:
			return oneOf(r.name, bare, "true", "false", "package")
		case bare == "true" || bare == "":
			return mistake("+%s=%s does not apply to a package; did you mean +%s=package?", r.name, bare, r.name)
		}
		return oneOf(r.name, bare, "package", "false")
	case "k8s:openapi-gen":
		if !ok || strings.HasPrefix(v, "x-kubernetes-") {
			return nil
		}
	case "k8s:prerelease-lifecycle-gen:introduced", "k8s:prerelease-lifecycle-gen:deprecated", "k8s:prerelease-lifecycle-gen:removed":
		if !release.MatchString(bare) {
			return mistake("%q in +%s is not a release; write it as 1.37", bare, r.name)
		}
	case "k8s:prerelease-lifecycle-gen:replacement":
		if strings.Count(v, ",") != 2 {
			return mistake("%q in +%s is not a kind; write it as GROUP,VERSION,KIND", v, r.name)
		}
	}
	return near(r.name, v, r.values)
}

// oneOf refuses all values but some.
func oneOf(name, v string, allowed ...string) *problem {
	if wrong := near(name, v, allowed); wrong != nil || slices.Contains(allowed, v) {
		return wrong
	}
	return mistake("unknown value %q of +%s; write %s", v, name, strings.Join(allowed, " or "))
}

// near refuses the values that are surely meant to be others.
func near(name, v string, allowed []string) *problem {
	if meant := text.DidYouMean(v, allowed); meant != "" && !slices.Contains(allowed, v) {
		return mistake("unknown value %q of +%s; did you mean %s?", v, name, meant)
	}
	return nil
}

// clientValue has client-gen itself read the tag.
func clientValue(t tag) *problem {
	name := t.name()
	v, ok := t.value()
	if name == "genclient" && ok {
		if meant := text.DidYouMean("genclient:"+v, genclientTags); meant != "" {
			return mistake("+genclient has no value; did you mean +%s?", meant)
		}
		return mistake("+genclient has no value; write +genclient, or remove it if you want no client")
	}
	if name == "genclient:method" {
		if message := methodValue(v); message != "" {
			return mistake("+%s: %s", name, message)
		}
	}
	if err := codegen.CheckClientTag(t.text); err != nil {
		return mistake("+%s: %s; write +genclient:method=NAME,verb=VERB[,subresource=PATH][,input=TYPE][,result=TYPE]", name, err)
	}
	if name == "genclient:onlyVerbs" || name == "genclient:skipVerbs" {
		for verb := range strings.SplitSeq(v, ",") {
			if message := choice("verb", verb, codegen.ClientVerbs()); message != "" {
				return mistake("+%s: %s", name, message)
			}
		}
	}
	return nil
}

// methodValue says which word in a +genclient:method no generator knows. client-gen ignores verbs that it does not know.
func methodValue(v string) string {
	for i, part := range strings.Split(v, ",") {
		key, word, ok := strings.Cut(part, "=")
		if i == 0 || !ok {
			continue
		}
		key, word = strings.TrimSpace(key), strings.TrimSpace(word) // as client-gen does
		message := choice("key", key, []string{"verb", "subresource", "input", "result"})
		if key == "verb" {
			message = choice("verb", word, codegen.ClientVerbs())
		}
		if message != "" {
			return message
		}
	}
	return ""
}

// choice says that a word is none of some, and which of them it was meant to be.
func choice(what, word string, allowed []string) string {
	if slices.Contains(allowed, word) {
		return ""
	}
	if meant := text.DidYouMean(word, allowed); meant != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %s?", what, word, meant)
	}
	return fmt.Sprintf("unknown %s %q; write one of %s", what, word, strings.Join(allowed, ", "))
}
