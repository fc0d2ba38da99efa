package composite

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// lists are the fields whose elements are of another form than their list.
var lists = []string{"children", "events", "relatedResources", "relatedResources.names"}

// formError says in words of JSON what is wrong with the form of an answer: those of Go mean nothing to who writes hooks.
func formError(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("the answer does not have the form of one: %w", err)
	}
	what := "the answer"
	if wrong.Field != "" {
		what = "the answer's " + wrong.Field
	}
	if slices.Contains(lists, wrong.Field) && wrong.Type.Kind() != reflect.Slice {
		what = "one of " + what
	}
	return fmt.Errorf("%s is %s; it must be %s", what, found(wrong.Value), form(wrong.Type))
}

// found is what stands there, in the words of encoding/json, which has the text of some numbers after them.
func found(value string) string {
	switch word, _, _ := strings.Cut(value, " "); word {
	case "array":
		return "a list"
	case "bool":
		return "true or false"
	case "object":
		return "an object"
	default:
		return "a " + word
	}
}

// form is what should stand there.
func form(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		one := form(t.Elem())
		_, noun, _ := strings.Cut(one, " ")
		return "a list of " + noun + "s"
	case reflect.Struct:
		switch t {
		case reflect.TypeFor[rule]():
			return "a rule"
		case reflect.TypeFor[event]():
			return "an event"
		}
		return "an object"
	case reflect.Map:
		return "an object"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	default:
		return "a number"
	}
}
