package fields

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
)

// setCEL reads RULE;MESSAGE. The semicolon is the first that is not in a text of the rule.
func setCEL(f *Field, value string) error {
	var quote rune
	for i, r := range value {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
			continue
		case r == '\'' || r == '"':
			quote = r
			continue
		case r != ';':
			continue
		}
		c := celRule{strings.TrimSpace(value[:i]), strings.TrimSpace(value[i+1:])}
		if c.rule == "" || c.message == "" {
			break
		}
		env, err := environment()
		if err != nil {
			return fmt.Errorf("cel: %w", err)
		}
		if _, issues := env.Parse(c.rule); issues.Err() != nil {
			return fmt.Errorf("cel: %q is no expression of CEL; correct it: %s", c.rule, issues.Errors()[0].Message)
		}
		if name := undeclared(env, c.rule); name != "" {
			return fmt.Errorf("cel: there is no %s in the rule %q; the value is self, and the one before an update oldSelf", name, c.rule)
		}
		f.rules.cel = append(f.rules.cel, c)
		return nil
	}
	return errors.New(`cel needs a rule and what is said where it is broken: cel="self.startsWith('a');must begin with a"`)
}

var undeclaredName = regexp.MustCompile(`undeclared reference to '(\w+)'`)

// undeclared is a name in a rule that stands for nothing. Functions are left out: the API server has more of them.
func undeclared(env *cel.Env, rule string) string {
	_, issues := env.Compile(rule)
	for _, e := range issues.Errors() {
		if m := undeclaredName.FindStringSubmatch(e.Message); m != nil && !strings.Contains(rule, m[1]+"(") && !strings.Contains(rule, m[1]+".") {
			return m[1] // with a dot it may be a namespace of functions, such as ip or format
		}
	}
	return ""
}

// environment is less than the API server's, which knows more functions and the types of the fields: it finds what is no
// CEL at all, and samples that break a rule. The rest is the API server's to say.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(cel.Variable("self", cel.DynType), cel.Variable("oldSelf", cel.DynType), ext.Strings())
})

// tryRules looks whether the sample and the default keep the CEL rules.
func (f *Field) tryRules() error {
	for _, c := range f.rules.cel {
		if strings.Contains(c.rule, "oldSelf") {
			continue // there is no value before
		}
		v, err := f.sample()
		if err != nil {
			return err
		}
		if broken(c.rule, v) {
			return fmt.Errorf("cel: the sample's value %s breaks the rule %q; add example=… with one that keeps it", asJSON(v), c.rule)
		}
		if f.rules.defaults != nil && broken(c.rule, f.rules.defaults) {
			return fmt.Errorf("cel: the default %s breaks the rule %q; correct one of them", asJSON(f.rules.defaults), c.rule)
		}
	}
	return nil
}

// broken tells whether a rule is surely false. One that can't be run here says nothing.
func broken(rule string, value any) bool {
	env, err := environment()
	if err != nil {
		return false
	}
	ast, issues := env.Parse(rule)
	if issues.Err() != nil {
		return false
	}
	program, err := env.Program(ast, cel.CostLimit(1<<20))
	if err != nil {
		return false
	}
	out, _, err := program.Eval(map[string]any{"self": native(value)})
	return err == nil && out == types.False
}

// native is a value as CEL reads it.
func native(v any) any {
	switch v := v.(type) {
	case entries:
		m := map[string]any{}
		for _, e := range v {
			m[e.key] = native(e.value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = native(v[i])
		}
		return list
	}
	return v
}
