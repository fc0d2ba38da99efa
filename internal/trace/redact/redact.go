// SPDX-License-Identifier: Apache-2.0

// Package redact takes secrets out of what a recording keeps, before it is kept. What is taken out of equal values is
// equal within a recording, so that changes can still be seen. It does not find secrets that a controller keeps
// elsewhere under a name of its own.
package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
)

// Options say what else to redact.
type Options struct {
	Project    string // directory that becomes $PROJECT
	Home       string // directory that becomes ~
	ConfigMaps bool   // also the data of ConfigMaps
}

// A Redactor redacts one recording. It is safe for concurrent use.
type Redactor struct {
	key       []byte
	o         Options
	learning  sync.Mutex // of what is below
	texts     atomic.Pointer[[]replacement]
	passwords atomic.Pointer[passwords]
}

// New returns a redactor with a key of its own, which is kept nowhere else.
func New(o Options) *Redactor {
	r := &Redactor{key: make([]byte, sha256.Size), o: o}
	_, _ = rand.Read(r.key) // never fails
	texts := r.replacements()
	r.texts.Store(&texts)
	r.passwords.Store(&passwords{})
	return r
}

// Rules lists what is redacted, for people.
func (r *Redactor) Rules() []string {
	rules := []string{
		"data of Secrets",
		"service account tokens and token reviews",
		"certificate signing requests",
		"fields of format password",
		"values whose name has PASSWORD, TOKEN, SECRET or KEY, as of environment variables",
		"JWTs, bearer tokens, private keys and crdctl's credentials in text",
	}
	if r.o.ConfigMaps {
		rules = append(rules, "data of ConfigMaps")
	}
	if r.o.Project != "" || r.o.Home != "" {
		rules = append(rules, "the paths of the project and of the home directory")
	}
	return rules
}

// Value matches what stands for a value that was taken out: the length in bytes, and a hash with the recording's key.
var Value = regexp.MustCompile(`redacted:[0-9]+:[0-9a-f]{8}`)

func (r *Redactor) value(b []byte) string {
	h := hmac.New(sha256.New, r.key)
	h.Write(b)
	return fmt.Sprintf("redacted:%d:%s", len(b), hex.EncodeToString(h.Sum(nil)[:4]))
}

// hidden is the redaction of a JSON value, as a whole. It leaves alone what is redacted, and what has nothing in it.
func (r *Redactor) hidden(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if v == "" || Value.FindString(v) == v {
			return v
		}
		return r.value([]byte(v))
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "redacted"
	}
	return r.value(b)
}

// decoded is hidden of a value that is usually Base64: it is the same as of what that stands for.
func (r *Redactor) decoded(v any) any {
	if s, ok := v.(string); ok && s != "" {
		if b, err := base64.StdEncoding.DecodeString(s); err == nil {
			return r.value(b)
		}
	}
	return r.hidden(v)
}
