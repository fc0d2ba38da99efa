// SPDX-License-Identifier: Apache-2.0

// Package goname makes Go names of the names of properties, as crdctl's scaffold and its import of CRDs both have them.
//
// It does not know which names are taken.
package goname

import (
	"strings"
	"unicode"

	"github.com/gobuffalo/flect"
)

// initialisms are the words that Go names have in capitals.
var initialisms = map[string]bool{
	"acl": true, "api": true, "aws": true, "ca": true, "cidr": true, "cpu": true, "crd": true, "dns": true, "grpc": true, "html": true, "http": true,
	"https": true, "id": true, "io": true, "ip": true, "json": true, "jwt": true, "qps": true, "ram": true, "rpc": true, "sql": true, "ssh": true, "ssl": true,
	"tcp": true, "tls": true, "ttl": true, "udp": true, "ui": true, "uid": true, "uri": true, "url": true, "uuid": true, "vm": true, "xml": true, "yaml": true,
}

// Of returns an exported Go name for a property: its words with capitals. Letters that Go does not export, and what begins
// with none, get an X before them.
func Of(property string) string {
	name := Camel(property)
	if name == "" || !unicode.IsUpper([]rune(name)[0]) {
		return "X" + name
	}
	return name
}

// Camel returns the words of a text with capitals, which is the rest of a Go name.
func Camel(text string) string { return join(Words(text)) }

// Singular returns the Go name of one element of a list or map of this name, where the English language has one.
func Singular(property string) string {
	words := Words(property)
	if len(words) == 0 {
		return Of(property)
	}
	last := words[len(words)-1]
	lower := strings.ToLower(last)
	one := flect.Singularize(lower)
	switch {
	case initialisms[strings.TrimSuffix(lower, "s")]: // of which flect makes ipsips
		one = strings.TrimSuffix(lower, "s")
	case one == "", initialisms[lower]:
		one = last
	case strings.HasPrefix(lower, one):
		one = last[:len(one)] // with the capitals that it has: podCIDRs
	}
	return join(append(words[:len(words)-1:len(words)-1], one))
}

func join(words []string) string {
	var name strings.Builder
	for _, word := range words {
		if initialisms[strings.ToLower(word)] {
			name.WriteString(strings.ToUpper(word))
			continue
		}
		letters := []rune(word)
		name.WriteRune(unicode.ToUpper(letters[0]))
		name.WriteString(string(letters[1:]))
	}
	return name.String()
}

// Words splits a name at what is neither letter nor digit, and between a small letter and a capital.
func Words(name string) []string {
	var all []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			all = append(all, string(word))
		}
		word = nil
	}
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return all
}
