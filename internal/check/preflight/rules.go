// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// rules compiles the CEL rules as the API server does, also where it would not since it refuses the schema for another reason.
func rules(ctx context.Context, crd *project.CRD) (all []rule.Finding, err error) {
	estimates := map[[sha256.Size]byte]cel.CompilationResult{}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil || !hasRules(v.Schema.OpenAPIV3Schema) {
			continue
		}
		root := &apiextensions.JSONSchemaProps{}
		if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, root, nil); err != nil {
			return nil, err
		}
		c := compiler{ctx: ctx, crd: crd, version: v.Name, estimates: estimates}
		c.walk(celNode{schema: root, context: validation.RootCELContext(root)})
		c.budget()
		all = append(all, c.found...)
		if c.err != nil {
			return nil, c.err
		}
	}
	return all, nil
}

func hasRules(s *apiextv1.JSONSchemaProps) bool {
	if len(s.XValidations) > 0 {
		return true
	}
	for name := range s.Properties {
		if property := s.Properties[name]; hasRules(&property) {
			return true
		}
	}
	return s.Items != nil && s.Items.Schema != nil && hasRules(s.Items.Schema) ||
		s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil && hasRules(s.AdditionalProperties.Schema)
}

// compiler compiles the rules of a version. It ends early when its context does, which the caller of all checks looks at.
type compiler struct {
	ctx     context.Context //nolint:containedctx // it is that of one call
	crd     *project.CRD
	version string
	total   uint64 // cost of all rules
	most    string // the path of the most expensive
	highest uint64 // its cost
	found   []rule.Finding
	err     error
	// estimates are results for schemas that were tried, by keyOf; versions share them.
	estimates map[[sha256.Size]byte]cel.CompilationResult
}

// celNode is the schema of a field.
type celNode struct {
	schema  *apiextensions.JSONSchemaProps
	path    []string
	context *validation.CELSchemaContext
	// above are the schemas on the way, from the root, without this one.
	above []*apiextensions.JSONSchemaProps
	// uncorrelated is the list or map whose items the server cannot match with those of the old object; nil if there is none above.
	uncorrelated []string
}

func (n celNode) child(schema *apiextensions.JSONSchemaProps, name string, context *validation.CELSchemaContext, correlated bool) celNode {
	child := celNode{schema: schema, path: append(slices.Clone(n.path), name), context: context, above: append(slices.Clone(n.above), n.schema), uncorrelated: n.uncorrelated}
	if !correlated && n.uncorrelated == nil {
		child.uncorrelated = append([]string{}, n.path...)
	}
	return child
}

func (c *compiler) walk(n celNode) {
	if c.ctx.Err() != nil {
		return
	}
	if len(n.schema.XValidations) > 0 {
		c.compile(n)
	}
	for _, name := range slices.Sorted(maps.Keys(n.schema.Properties)) {
		property := n.schema.Properties[name]
		c.walk(n.child(&property, name, n.context.ChildPropertyContext(&property, name), cel.MapIsCorrelatable(n.schema.XMapType)))
	}
	if items := n.schema.Items; items != nil && items.Schema != nil {
		isMap := n.schema.XListType != nil && *n.schema.XListType == "map"
		c.walk(n.child(items.Schema, project.Items, n.context.ChildItemsContext(items.Schema), isMap))
	}
	if values := n.schema.AdditionalProperties; values != nil && values.Schema != nil {
		c.walk(n.child(values.Schema, project.Values, n.context.ChildAdditionalPropertiesContext(values.Schema), true))
	}
}

// oldest is the compatibility version with which the oldest Kubernetes that is supported compiles new rules: that of the release before it. What
// it compiles, all later ones do.
func oldest() *environment.EnvSet { return environment.MustBaseEnvSet(minor(oldestMinor - 1)) }

// compile judges the rules of one schema.
func (c *compiler) compile(n celNode) {
	types, err := n.context.TypeInfo()
	if err != nil || types == nil || types.DeclType == nil {
		// What a rule means without a type is not known. A schema without one is refused for that, unless it preserves unknown fields.
		if path, ok := opaque(n.schema, n.path); ok {
			r := celRule{celNode: n}
			c.add(r, "refused-cel", "the rule %s cannot be compiled: %s has no type", short(r.text().Rule), dottedOr(path, "the object"))
			c.found[len(c.found)-1].Fix = "Declare its type and the fields that the rule reads, or remove the rule."
		}
		return
	}
	results, err := cel.Compile(types.Schema, types.DeclType, celconfig.PerCallLimit, oldest(), cel.NewExpressionsEnvLoader())
	if err != nil {
		c.err = fmt.Errorf("%s: compile the rules: %w", project.Dotted(n.path), err)
		return
	}
	for i, result := range results {
		if c.ctx.Err() != nil {
			return
		}
		r := celRule{celNode: n, index: i, result: result, since: oldestMinor}
		if result.Error != nil || result.MessageExpressionError != nil {
			c.newer(&r, types)
		}
		c.judge(r)
	}
}

// opaque returns the path of a schema, or of that of the items or values in it, which has no type and preserves unknown fields.
func opaque(s *apiextensions.JSONSchemaProps, path []string) ([]string, bool) {
	switch {
	case s.Type == "array" && s.Items != nil && s.Items.Schema != nil:
		return opaque(s.Items.Schema, append(slices.Clone(path), project.Items))
	case s.Type == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return opaque(s.AdditionalProperties.Schema, append(slices.Clone(path), project.Values))
	}
	return path, s.Type == "" && s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// celRule is a rule that was compiled.
type celRule struct {
	celNode
	index  int
	result cel.CompilationResult
	since  uint // the minor of the first Kubernetes that takes it
}

func (r celRule) text() apiextensions.ValidationRule { return r.schema.XValidations[r.index] }

// newer compiles a rule that the oldest Kubernetes does not take as later ones do.
func (c *compiler) newer(r *celRule, types *validation.CELTypeInfo) {
	alone := *types.Schema
	alone.XValidations = alone.XValidations[r.index : r.index+1]
	for since := oldestMinor + 1; since <= currentMinor(); since++ {
		results, err := cel.Compile(&alone, types.DeclType, celconfig.PerCallLimit, environment.MustBaseEnvSet(minor(since-1)), cel.NewExpressionsEnvLoader())
		if err != nil {
			c.err = fmt.Errorf("%s: compile the rules: %w", project.Dotted(r.path), err)
			return
		}
		r.result, r.since = results[0], since
		if results[0].Error == nil && results[0].MessageExpressionError == nil {
			return
		}
	}
}

func (c *compiler) judge(r celRule) {
	text := r.text()
	if r.result.Error != nil {
		c.refuse(r, text.Rule, "rule", r.result.Error.Detail)
	}
	if r.result.MessageExpressionError != nil && strings.TrimSpace(text.MessageExpression) != "" { // for an empty one there is an error of the schema
		c.refuse(r, text.MessageExpression, "messageExpression", r.result.MessageExpressionError.Detail)
	}
	if r.result.Error != nil || r.result.MessageExpressionError != nil {
		return
	}
	if r.since > oldestMinor {
		c.add(r, "cel-min-version", "Kubernetes before 1.%d refuses the rule %s", r.since, short(text.Rule))
	}
	if r.result.UsesOldSelf && r.uncorrelated != nil {
		c.add(r, "refused-cel", "oldSelf cannot be used here: the API server does not know which item of %s was which before", dottedOr(r.uncorrelated, "the object"))
	}
	if !r.result.UsesOldSelf && text.OptionalOldSelf != nil {
		c.add(r, "refused-cel", "optionalOldSelf is set, and the rule does not use oldSelf")
	}
	if len(r.path) == 0 && !r.result.UsesOldSelf && readsSpecOnly(text.Rule) {
		c.add(r, "cel-root-lockout", "the rule %s is on the whole object, and reads only its spec", short(text.Rule))
	}
	c.cost(r)
}

var self = lazyregexp.New(`\bself\b(\.spec\b)?`)

// readsSpecOnly reports whether a rule could be one of spec.
func readsSpecOnly(text string) bool {
	uses := self.FindAllStringSubmatch(text, -1)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(m []string) bool { return m[1] == "" })
}

// add adds a finding about a rule as a whole.
func (c *compiler) add(r celRule, id, format string, args ...any) {
	c.found = append(c.found, rule.New(id, ofRule(c.crd, c.version, r.path, r.index, r.text().Rule, 0), c.crd.Subject(c.version, r.path...), format, args...))
}

// issue is a line of what the CEL compiler says.
var issue = lazyregexp.New(`(?m)^(?:[^\n]*: )?ERROR: <input>:(\d+):(\d+): (.*)$`)

// undefined begins an issue about a field that rules cannot read.
const undefined = "undefined field "

// typed compiles a rule again as if each field had a type. Those without one are refused for that, and rules cannot read them.
func typed(r celRule) cel.CompilationResult {
	s := r.schema.DeepCopy()
	s.XValidations = s.XValidations[r.index : r.index+1]
	giveTypes(s)
	structural, err := structuralschema.NewStructural(s)
	if err != nil {
		return r.result
	}
	types := model.SchemaDeclType(structural, len(r.path) == 0 || s.XEmbeddedResource)
	if types == nil {
		return r.result
	}
	results, err := cel.Compile(structural, types, celconfig.PerCallLimit, environment.MustBaseEnvSet(minor(r.since-1)), cel.NewExpressionsEnvLoader())
	if err != nil {
		return r.result
	}
	return results[0]
}

// giveTypes gives a type to each schema that lacks one.
func giveTypes(s *apiextensions.JSONSchemaProps) {
	switch {
	case s.Type != "" || s.XPreserveUnknownFields != nil:
	case len(s.Properties) > 0 || s.AdditionalProperties != nil:
		s.Type = "object"
	case s.Items != nil:
		s.Type = "array"
	default:
		s.XIntOrString = true // CEL checks nothing of its values
	}
	for name := range s.Properties {
		property := s.Properties[name]
		giveTypes(&property)
		s.Properties[name] = property
	}
	if s.Items != nil && s.Items.Schema != nil {
		giveTypes(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		giveTypes(s.AdditionalProperties.Schema)
	}
}

// refuse adds what is wrong with an expression: each issue of the compiler on its own, at its place.
func (c *compiler) refuse(r celRule, expression, key, detail string) {
	issues := issue.FindAllStringSubmatch(detail, -1)
	if len(issues) > 0 && strings.HasPrefix(issues[0][3], "Syntax error") {
		issues = issues[:1] // what follows comes from it
	}
	if len(issues) == 0 {
		issues = [][]string{{"", "1", "0", strings.Join(strings.Fields(detail), " ")}}
	}
	certain := sync.OnceValue(func() string {
		result := typed(r)
		problem := result.Error
		if key != "rule" {
			problem = result.MessageExpressionError
		}
		if problem == nil {
			return ""
		}
		return problem.Detail
	})
	for _, m := range issues {
		if strings.HasPrefix(m[3], undefined) && !strings.Contains(certain(), fmt.Sprintf("<input>:%s:%s: %s", m[1], m[2], m[3])) {
			continue // the schema is refused for that
		}
		place := ofExpression(c.crd, c.version, r.path, r.index, key, expression, character(expression, m[1], m[2]))
		message := strings.TrimSuffix(strings.ReplaceAll(m[3], " (in container '')", ""), ".")
		what := "the rule"
		if key != "rule" {
			what = "the messageExpression"
		}
		c.found = append(c.found, rule.New("refused-cel", place, c.crd.Subject(c.version, r.path...), "%s %s does not compile: %s", what, short(expression), message))
	}
}

func dottedOr(path []string, otherwise string) string {
	if len(path) == 0 {
		return otherwise
	}
	return project.Dotted(path)
}
