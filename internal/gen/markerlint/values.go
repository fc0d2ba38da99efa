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

// value says which value of a generator's tag no generator understands.
func value(f *file, t tag) (Severity, string) {
	name := t.name()
	if !strings.Contains(name, "-gen") && name != "k8s:conversion-fn" || name == "k8s:validation-gen-nolint" {
		// validation-gen has words of its own for its tags, and of nolint it reads the name alone.
		return Warning, ""
	}
	if err := codegen.CheckTag(t.text); err != nil {
		return Error, fmt.Sprintf("+%s: %s; write +%s=VALUE without spaces around the equals sign", name, err, name)
	}
	v, ok := t.value()
	bare, _, _ := strings.Cut(v, ",")
	switch name {
	case "k8s:deepcopy-gen":
		allowed := []string{"true", "false"}
		if f.isDoc() && !t.place.has(onType) {
			allowed = []string{"package", "false"}
			if bare == "true" || bare == "" {
				return Error, fmt.Sprintf("+%s=%s is not a package's; did you mean +%s=package?", name, bare, name)
			}
		}
		if f.isDoc() && t.place.has(onType) {
			allowed = append(allowed, "package")
		}
		return oneOf(name, bare, allowed)
	case "k8s:openapi-gen":
		if ok && !strings.HasPrefix(v, "x-kubernetes-") {
			return near(name, v, "true", "false")
		}
	case "k8s:prerelease-lifecycle-gen", "k8s:register-gen", "k8s:deepcopy-gen:nonpointer-interfaces":
		return near(name, v, "true", "false")
	case "k8s:conversion-fn":
		return near(name, v, "copy-only", "drop")
	case "k8s:prerelease-lifecycle-gen:introduced", "k8s:prerelease-lifecycle-gen:deprecated", "k8s:prerelease-lifecycle-gen:removed":
		if !release.MatchString(bare) {
			return Error, fmt.Sprintf("%q in +%s is no release; write it as 1.37", bare, name)
		}
	case "k8s:prerelease-lifecycle-gen:replacement":
		if strings.Count(v, ",") != 2 {
			return Error, fmt.Sprintf("%q in +%s is no kind; write it as GROUP,VERSION,KIND", v, name)
		}
	}
	return Warning, ""
}

// oneOf refuses all values but some.
func oneOf(name, v string, allowed []string) (Severity, string) {
	if slices.Contains(allowed, v) {
		return Warning, ""
	}
	if s, message := near(name, v, allowed...); message != "" {
		return s, message
	}
	return Error, fmt.Sprintf("unknown value %q of +%s; write %s", v, name, strings.Join(allowed, " or "))
}

// near refuses the values that are surely meant to be others.
func near(name, v string, allowed ...string) (Severity, string) {
	if meant := text.DidYouMean(v, allowed); meant != "" && !slices.Contains(allowed, v) {
		return Error, fmt.Sprintf("unknown value %q of +%s; did you mean %s?", v, name, meant)
	}
	return Warning, ""
}

// clientValue lets client-gen itself read the tag.
func clientValue(t tag) (Severity, string) {
	name := t.name()
	if v, ok := t.value(); name == "genclient" && ok {
		if meant := text.DidYouMean("genclient:"+v, genclientTags); meant != "" {
			return Error, fmt.Sprintf("+genclient has no value; did you mean +%s?", meant)
		}
		return Error, "+genclient has no value; write +genclient, or take it out where no client is wanted"
	}
	v, _ := t.value()
	if name == "genclient:method" {
		if message := methodValue(v); message != "" {
			return Error, "+" + name + ": " + message
		}
	}
	if err := codegen.CheckClientTag(t.text); err != nil {
		return Error, fmt.Sprintf("+%s: %s; write +%s", name, err, methodForm)
	}
	if name == "genclient:onlyVerbs" || name == "genclient:skipVerbs" {
		for verb := range strings.SplitSeq(v, ",") {
			if message := choice("verb", verb, codegen.ClientVerbs()); message != "" {
				return Error, fmt.Sprintf("+%s: %s", name, message)
			}
		}
	}
	return Warning, ""
}

// methodForm is how a method of its own is written.
const methodForm = "genclient:method=NAME,verb=VERB[,subresource=PATH][,input=TYPE][,result=TYPE]"

// methodValue says which word in a +genclient:method no generator knows. Of verbs that it does not know, client-gen makes
// nothing, and says nothing.
func methodValue(v string) string {
	for i, part := range strings.Split(v, ",") {
		key, word, ok := strings.Cut(part, "=")
		if i == 0 || !ok {
			continue
		}
		key, word = strings.TrimSpace(key), strings.TrimSpace(word) // as client-gen does
		if message := choice("key", key, []string{"verb", "subresource", "input", "result"}); message != "" {
			return message
		}
		if key == "verb" {
			if message := choice("verb", word, codegen.ClientVerbs()); message != "" {
				return message
			}
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
