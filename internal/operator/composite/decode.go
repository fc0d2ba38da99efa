// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// noDuplicates refuses an answer in which an object has a key twice: encoding/json would take the last value silently, and the children of
// the first would be removed.
func noDuplicates(said []byte) error {
	if key := object.DuplicateKey(said); key != "" {
		return fmt.Errorf("the answer has the key %s twice; give it one value", key)
	}
	return nil
}

// lists are the fields whose elements are of another form than their list.
var lists = []string{"children", "events", "relatedResources", "relatedResources.names"}

// formError says in words of JSON what is wrong with the form of an answer: those of Go mean nothing to who writes hooks.
func formError(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return fmt.Errorf("the answer does not have the form of one: %w", err)
	}
	what := "the answer"
	if wrong.Field != "" {
		what = "the answer's " + wrong.Field
	}
	if slices.Contains(lists, wrong.Field) && wrong.Type.Kind() != reflect.Slice {
		what = "one of " + what
	}
	return fmt.Errorf("%s is %s; it must be %s", what, inJSON(wrong.Value), inJSON(wrong.Type.Kind().String()))
}

// inJSON is the form that a word of encoding/json, which may have a value's text after it, or of package reflect stands for.
func inJSON(form string) string {
	switch word, _, _ := strings.Cut(form, " "); word {
	case "array", "slice":
		return "a list"
	case "bool":
		return "true or false"
	case "object", "map", "struct":
		return "an object"
	case "string":
		return "a string"
	}
	return "a number"
}
