// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"path/filepath"
	"strings"
)

// problem is why a part of the project is not determined.
type problem struct {
	families string // those that it is a problem of, as in "compat, lint: "; empty for none
	text     string
	err      error
}

func (p *problem) Error() string { return p.families + p.text }

// Unwrap returns the error of the first family.
func (p *problem) Unwrap() error { return p.err }

type problems []*problem

// add adds the error of a family. What several families stumble over, such as a file that does not parse, is one problem, in the words of that
// which adds least. Paths are relative to the root.
func (all *problems) add(root, family string, err error) {
	if err == nil {
		return
	}
	text := strings.TrimSpace(strings.ReplaceAll(err.Error(), root+string(filepath.Separator), ""))
	label := ""
	if family != "" {
		label = family + ": "
	}
	for _, other := range *all {
		if label == "" || other.families == "" || !strings.Contains(other.text, text) && !strings.Contains(text, other.text) {
			continue
		}
		if len(text) < len(other.text) {
			other.text = text
		}
		other.families = strings.TrimSuffix(other.families, ": ") + ", " + label
		return
	}
	*all = append(*all, &problem{label, text, err})
}

func (all problems) join() error {
	list := make([]error, len(all))
	for i, p := range all {
		list[i] = p
	}
	return errors.Join(list...)
}
