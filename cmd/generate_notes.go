// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"encoding/json"
	"os"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// known are the notes of the round of generate before, with how often each was printed: a round prints what is new. A note is known
// wherever its line is now.
type known struct {
	// file keeps the notes for rounds that are processes of their own; "" where one process has all rounds.
	file  string
	count map[string]int
}

var notePosition = lazyregexp.New(`:\d+(:\d+)?:`)

// news returns the notes that the round before did not print. Where that cannot be read or kept, they are printed again.
func (k *known) news(notes []string) (news []string) {
	if k.file != "" {
		if data, err := os.ReadFile(k.file); err == nil {
			_ = json.Unmarshal(data, &k.count)
		}
	}
	left := k.count
	k.count = map[string]int{}
	for _, note := range notes {
		text := notePosition.ReplaceAllString(note, ":")
		if k.count[text]++; left[text] < k.count[text] {
			news = append(news, note)
		}
	}
	if data, err := json.Marshal(k.count); err == nil && k.file != "" {
		_ = os.WriteFile(k.file, data, 0o600)
	}
	return news
}
