// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/crdctl/crdctl/internal/text"
)

// shown is how much of what a hook said an error shows.
const shown = 200

var errTooLarge = errors.New("too large")

func tooLarge(limit int64) error {
	return fmt.Errorf("the answer is larger than %d bytes; answer with less, or raise --hook-max-bytes (loop.maxAnswerBytes)", limit)
}

// readUpTo reads all, or up to a limit and then says errTooLarge.
func readUpTo(r io.Reader, limit int64) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(all)) > limit {
		return all[:limit], errTooLarge
	}
	return all, err
}

// checkAnswer reports whether an answer is one JSON object, and says of one that is not what it is.
func checkAnswer(answer []byte) error {
	trimmed := bytes.TrimSpace(answer)
	if len(trimmed) == 0 {
		return errors.New("the answer is empty; print one JSON object")
	}
	if trimmed[0] == '{' && json.Valid(trimmed) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(trimmed))
	var first json.RawMessage
	err := dec.Decode(&first)
	switch {
	case err != nil && errors.Is(err, io.ErrUnexpectedEOF):
		return private(errors.New("the answer ends in the middle of its JSON"), fmt.Sprintf(": it begins with %s; print one whole JSON object", show(trimmed)))
	case err != nil:
		return private(fmt.Errorf("the answer is not JSON (%w)", err), fmt.Sprintf(": it begins with %s; print one JSON object and nothing else, and the rest to stderr", show(trimmed)))
	case trimmed[0] != '{':
		return private(errors.New("the answer is JSON, but not an object"), fmt.Sprintf(": it begins with %s; print an object like {\"children\": []}", show(trimmed)))
	}
	return private(errors.New("the answer has more text after its JSON object"), fmt.Sprintf(", with %s; print one object and nothing else", show(bytes.TrimSpace(trimmed[dec.InputOffset():]))))
}

// show is the beginning of what a hook said, in quotes and without what would confuse a terminal.
func show(b []byte) string {
	if len(b) > shown {
		return fmt.Sprintf("%q…", text.Cut(b, shown))
	}
	return fmt.Sprintf("%q", b)
}

// printable is a line without what would confuse a terminal.
func printable(b []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, string(b))
}
