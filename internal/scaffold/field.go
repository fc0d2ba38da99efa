package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Field is a field of the spec.
type Field struct {
	Name string // in JSON
	Type string // as the user gave it
}

// scalars are the types that a field, or an element of it, can have.
var scalars = []string{"string", "bool", "int32", "int64"}

var (
	fieldRule = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	typeRule  = regexp.MustCompile(`^(\*|\[\]|map\[string\])?([A-Za-z0-9.]+)$`)
)

// ParseFields reads fields in the form NAME:TYPE.
func ParseFields(specs []string) ([]Field, error) {
	var fields []Field
	var problems []error
	seen := map[string]string{}
	for _, spec := range specs {
		f, err := parseField(spec)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if other, ok := seen[f.GoName()]; ok {
			problems = append(problems, fmt.Errorf("--field %q: the field %s is there already, by --field %q", spec, f.GoName(), other))
			continue
		}
		seen[f.GoName()] = spec
		fields = append(fields, f)
	}
	return fields, errors.Join(problems...)
}

func parseField(spec string) (Field, error) {
	name, rest, ok := strings.Cut(spec, ":")
	if !ok {
		return Field{}, fmt.Errorf("--field %q must be NAME:TYPE, for example replicas:int32", spec)
	}
	if !fieldRule.MatchString(name) {
		return Field{}, fmt.Errorf("--field %q: the name %q must be lowerCamelCase of ASCII letters and digits, for example cronSpec", spec, name)
	}
	if goName := (Field{Name: name}).GoName(); goName == "DeepCopy" || goName == "DeepCopyInto" {
		return Field{}, fmt.Errorf("--field %q: %s is the name of a generated method; choose another", spec, goName)
	}
	typ, rules, hasRules := strings.Cut(rest, ":")
	if hasRules {
		return Field{}, fmt.Errorf("--field %q: rules such as %q are not known yet; add the marker to types.go, for example // +kubebuilder:validation:Minimum=1", spec, rules)
	}
	m := typeRule.FindStringSubmatch(typ)
	if m == nil || !slices.Contains(scalars, m[2]) {
		msg := fmt.Sprintf("--field %q: the type %q is not one of %s, with * or [] or map[string] before it or not", spec, typ, strings.Join(scalars, ", "))
		switch strings.TrimLeft(typ, "*[]") {
		case "int", "uint", "uint32", "uint64", "int8", "int16":
			msg += "; integers of an API are int32 or int64"
		case "float32", "float64":
			msg += "; numbers with a fraction do not survive every client, use a string"
		}
		return Field{}, errors.New(msg)
	}
	return Field{Name: name, Type: typ}, nil
}

// initialisms are the words that Go names write in capitals.
var initialisms = map[string]bool{
	"api": true, "cpu": true, "dns": true, "http": true, "https": true, "id": true, "ip": true, "json": true, "sql": true,
	"ssh": true, "tcp": true, "tls": true, "ttl": true, "udp": true, "uid": true, "uri": true, "url": true, "uuid": true, "yaml": true,
}

// GoName is the field's name in Go.
func (f Field) GoName() string {
	var b strings.Builder
	for _, w := range f.words() {
		if initialisms[strings.ToLower(w)] {
			b.WriteString(strings.ToUpper(w))
		} else {
			b.WriteString(upperFirst(w))
		}
	}
	return b.String()
}

// Words is the field's name as prose.
func (f Field) Words() string { return strings.ToLower(strings.Join(f.words(), " ")) }

// words splits the name where a capital begins.
func (f Field) words() []string {
	var words []string
	start := 0
	runes := []rune(f.Name)
	for i := 1; i < len(runes); i++ {
		if unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) {
			words = append(words, string(runes[start:i]))
			start = i
		}
	}
	return append(words, string(runes[start:]))
}

// GoType is the field's type in Go. All fields are optional; where the zero value means something, a pointer tells
// it from "not said", as the Kubernetes API conventions ask.
func (f Field) GoType() string {
	switch f.Type {
	case "bool", "int32", "int64":
		return "*" + f.Type
	}
	return f.Type
}

// columnType is the type of the field's column in kubectl's table, or empty if it has none.
func (f Field) columnType() string {
	switch strings.TrimPrefix(f.Type, "*") {
	case "string":
		return "string"
	case "bool":
		return "boolean"
	case "int32", "int64":
		return "integer"
	}
	return ""
}

// examples are sample values of fields by type and name, so that a sample looks like an object that someone would write.
var examples = map[string]map[string]string{
	"string": {
		"cronSpec": `"* * * * */5"`, "schedule": `"*/5 * * * *"`, "image": "nginx:1.29", "ip": "127.0.0.1",
		"host": "example.com", "url": "https://example.com",
	},
	"int32": {"port": "8080", "replicas": "2"},
}

// Sample is a value of the field in YAML.
func (f Field) Sample() string {
	typ := strings.TrimPrefix(f.Type, "*")
	if v, ok := examples[typ][f.Name]; ok {
		return v
	}
	scalar := map[string]string{"string": "example", "bool": "true", "int32": "1", "int64": "1"}
	if elem, ok := strings.CutPrefix(typ, "[]"); ok {
		return "[" + scalar[elem] + "]"
	}
	if elem, ok := strings.CutPrefix(typ, "map[string]"); ok {
		return "{example: " + scalar[elem] + "}"
	}
	return scalar[typ]
}
