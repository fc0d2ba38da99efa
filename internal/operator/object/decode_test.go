// SPDX-License-Identifier: Apache-2.0

package object

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readable are objects in the forms in which API servers send them, and in others that the format allows.
var readable = map[string]string{
	"sample":               sample(7),
	"last applied only":    `{"metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"a\":\"b\"}\n"},"uid":"u"}}`,
	"last applied first":   `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}","mine":"<b> & \u2028 kept"},"name":"a"}}`,
	"last applied as text": `{"metadata":{"annotations":{"mine":"kubectl.kubernetes.io/last-applied-configuration"},"name":"a"}}`,
	"annotations":          `{"metadata":{"annotations":{"a":"1","b":"\"quoted\""},"labels":{"l":"m","n":""},"name":"a"}}`,
	"no annotations":       `{"metadata":{"annotations":{},"name":"a"}}`,
	"managed fields":       `{"metadata":{"managedFields":[{"manager":"m","fieldsV1":{"f:x":{"}":"]"}}}],"name":"a"}}`,
	"only managed fields":  `{"metadata":{"managedFields":[]},"spec":{}}`,
	"nulls":                `{"metadata":{"annotations":null,"labels":null,"managedFields":null,"ownerReferences":null,"deletionTimestamp":null,"finalizers":null,"name":"a"},"spec":null}`,
	"null metadata":        `{"metadata":null,"spec":{"a":1}}`,
	"no metadata":          `{"spec":{"a":1}}`,
	"nothing":              `{}`,
	"empty metadata":       `{"metadata":{},"kind":"Other"}`,
	"spec first":           `{"spec":{"a":[1,2,{"b":null}]},"metadata":{"resourceVersion":"5","name":"a","namespace":"n"},"kind":"CronTab","apiVersion":"v1"}`,
	"data first":           `{"data":{"k":"v"},"immutable":true,"metadata":{"name":"a","generation":9223372036854775807}}`,
	"spaces":               "{ \"metadata\" : {\n\t\"name\" : \"a\" , \"labels\" : { \"x\" : \"y\" } }\r\n, \"spec\" : { \"a\" : 1 } }",
	"metadata in spec":     `{"spec":{"metadata":{"name":"inner","managedFields":[1],"uid":5}},"metadata":{"name":"outer"}}`,
	"names of fields":      `{"spec":{"name":"x","uid":"y"},"metadata":{"labels":{"uid":"z","name":"w"},"name":"a","uid":"u"}}`,
	"finalizers":           `{"metadata":{"finalizers":["a/b","c"],"deletionTimestamp":"2026-11-21T00:00:00Z","deletionGracePeriodSeconds":0,"name":"a"}}`,
	"not ASCII":            `{"metadata":{"labels":{"x":"ä"},"name":"ü"},"spec":{"t":"\ud83d\ude00 é\\\/"}}`,
	"large numbers":        `{"metadata":{"name":"a"},"spec":{"i":9007199254740993,"f":1.5e300,"n":-0.0}}`,
	"initial events":       `{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"7"}}`,
	"owners":               `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"k","uid":"u1","controller":true,"blockOwnerDeletion":true}],"name":"a","uid":"u"}}`,
	"quote at the end":     `{"metadata":{"name":"a","generateName":"{"},"x":"{","spec":"{"}`,
}

func TestDecodeKeepsAllButWhatNobodyReads(t *testing.T) {
	for name, text := range readable {
		t.Run(name, func(t *testing.T) { expectDecoded(t, decode(t, text), []byte(text)) })
	}
}

func TestDecodeTellsADeletion(t *testing.T) {
	for metadata, want := range map[string]bool{
		`{"name":"a"}`:                                            false,
		`{"name":"a","deletionTimestamp":null}`:                   false,
		`{"name":"a","deletionTimestamp":"2026-11-21T00:00:00Z"}`: true,
		`{"deletionTimestamp":"2026-11-21T00:00:00Z","name":"a"}`: true,
	} {
		o := decode(t, `{"metadata":`+metadata+`}`)
		assert.Equal(t, want, o.Deleting(), metadata)
		assert.Equal(t, want, o.MetadataOnly().Deleting(), metadata)
	}
}

func TestDecodeFindsTheController(t *testing.T) {
	reference := func(name, uid, controller string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","name":%q,"uid":%q%s}`, name, uid, controller)
	}
	const yes, no = `,"controller":true`, `,"controller":false`
	for _, c := range []struct {
		uid, name string
		owners    []string
	}{
		{"", "", nil},
		{"", "", []string{reference("a", "1", "")}},
		{"", "", []string{reference("a", "1", no), reference("b", "2", "")}},
		{"1", "a", []string{reference("a", "1", yes)}},
		{"2", "b", []string{reference("a", "1", no), reference("b", "2", yes), reference("c", "3", "")}},
		{"controller", "uid", []string{reference("uid", "controller", yes)}}, // as fields are called
		{"v1", "Pod", []string{reference("Pod", "v1", yes)}},                 // as other values are
		{"same", "same", []string{reference("same", "same", yes)}},
		{"1-long", "a-longer", []string{reference("a", "1", no), reference("a-longer", "1-long", yes)}},
		{"1", "", []string{reference("", "1", yes)}},
	} {
		text := `{"metadata":{"ownerReferences":[` + strings.Join(c.owners, ",") + `],"name":"child"}}`
		o := decode(t, text)
		for _, o := range []*Object{o, o.MetadataOnly()} {
			if string(o.Owner()) != c.uid || o.OwnerName() != c.name || o.Name() != "child" {
				t.Errorf("%s: owner %q named %q of %q", text, o.Owner(), o.OwnerName(), o.Name())
			}
		}
	}
}

// What no API server sends is refused and not guessed: the name of an object is a part of its text.
func TestDecodeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"escaped namespace":   `{"metadata":{"namespace":"a\"b"}}`,
		"escaped UID":         `{"metadata":{"uid":"\""}}`,
		"escaped version":     `{"metadata":{"resourceVersion":"1\n"}}`,
		"no text for a name":  `{"metadata":{"name":"\q"}}`,
		"null name":           `{"metadata":{"name":null}}`,
		"number for a name":   `{"metadata":{"name":5}}`,
		"list for a name":     `{"metadata":{"name":["a"]}}`,
		"object for a UID":    `{"metadata":{"uid":{"a":"b"}}}`,
		"number as a version": `{"metadata":{"resourceVersion":5}}`,
		"text for a number":   `{"metadata":{"generation":"5"}}`,
		"fraction":            `{"metadata":{"generation":1.5}}`,
		"too large":           `{"metadata":{"generation":9223372036854775808}}`,
		"owners in no list":   `{"metadata":{"ownerReferences":{"uid":"1"}}}`,
		"owner without text":  `{"metadata":{"ownerReferences":[{"uid":1}]}}`,
		"annotations in text": `{"metadata":{"annotations":"kubectl.kubernetes.io/last-applied-configuration"}}`,
		"a list":              `[]`,
		"null":                `null`,
		"a number":            `5`,
		"nothing":             ``,
		"no JSON":             `<html>`,
		"no quotes":           `{metadata:{}}`,
		"comma at the end":    `{"metadata":{},}`,
		"more after it":       `{"metadata":{"name":"a"}}{}`,
		"rubbish after it":    `{"metadata":{"name":"a"}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			if o, err := Decode([]byte(text), cronTab); err == nil {
				t.Errorf("%s was read as %s", text, o.AppendJSON(nil))
			}
		})
	}
}

func TestDecodeNoticesWhatIsCutOff(t *testing.T) {
	for name, text := range readable {
		for end := range len(text) {
			if o, err := Decode([]byte(text[:end]), cronTab); err == nil {
				t.Errorf("%s: %s was read as %s", name, text[:end], o.AppendJSON(nil))
			}
		}
	}
}

// A connection that breaks says so, whatever was being read.
func TestDecodeHandsOnTheErrorOfTheConnection(t *testing.T) {
	broken := errors.New("connection reset")
	text := sample(1)
	for end := 0; end < len(text); end += 7 {
		in := io.MultiReader(strings.NewReader(text[:end]), iotest.ErrReader(broken))
		_, err := NewDecoder(in, cronTab, Whole, nil).object()
		require.ErrorIs(t, err, broken, "broken after %d bytes", end)
	}
}
