// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// Check is what "crdctl check", or "crdctl doctor", found.
type Check struct {
	// Command is the name of the command: check if it is empty.
	Command string
	// Findings are in the order of their places.
	Findings []rule.Finding
	// Judged says what each family looked at, as in "12 CRDs"; a family that is not in it was not judged.
	Judged map[rule.Family]string
	// Notes say what was not judged, and why.
	Notes []string
	// Allowed is how many findings markers suppress.
	Allowed int
	// Undetermined is why there is no verdict on a part of what was to be judged; empty if there is one on all.
	Undetermined string
	// Prefix and Version are as in Report.
	Prefix, Version string
}

// Summary is the answer in a line.
func (c Check) Summary() string {
	var judged []string
	for _, f := range append(slices.Clone(rule.Families), rule.Doctor) {
		if what, ok := c.Judged[f]; ok {
			judged = append(judged, fmt.Sprintf("%s: %s", f, what))
		}
	}
	allowed := ""
	if c.Allowed > 0 {
		allowed = fmt.Sprintf(", %d allowed", c.Allowed)
	}
	if len(judged) == 0 {
		if c.Undetermined != "" && len(c.Findings) == 0 {
			return "nothing could be judged" + allowed
		}
		return c.Counts() + allowed
	}
	return fmt.Sprintf("%s%s (%s)", c.Counts(), allowed, strings.Join(judged, "; "))
}

// Counts are how many findings there are of each severity, in words.
func (c Check) Counts() string {
	n := map[rule.Severity]int{}
	for _, f := range c.Findings {
		n[f.Severity]++
	}
	var parts []string
	for _, s := range []rule.Severity{rule.Error, rule.Warning, rule.Note} {
		if n[s] > 0 {
			parts = append(parts, text.Count(n[s], s.String(), s.String()+"s"))
		}
	}
	if parts == nil {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

const (
	// manyNotes is the number of notes from which on they are only counted.
	manyNotes = 40
	// manyAlike is the number of warnings from which on those that say the same are counted, but for the first of them.
	manyAlike, firstAlike = 10, 3
)

// Shown are the findings that a person is shown: all that the exit code depends on. Of many notes, and of many warnings that say the same of
// different places, there are only the numbers for each rule.
func (c Check) Shown(failOn rule.Severity) (shown []rule.Finding, left []string) {
	type alike struct {
		rule    *rule.Rule
		message string
	}
	notes := 0
	warnings := map[alike]int{}
	for _, f := range c.Findings {
		switch f.Severity {
		case rule.Note:
			notes++
		case rule.Warning:
			warnings[alike{f.Rule, f.Message}]++
		}
	}
	hidden := map[rule.Severity]map[string]int{rule.Note: {}, rule.Warning: {}}
	met := map[alike]int{}
	for _, f := range c.Findings {
		same := alike{f.Rule, f.Message}
		met[same]++
		switch {
		case f.Severity >= failOn,
			f.Severity == rule.Note && notes <= manyNotes,
			f.Severity == rule.Warning && (warnings[same] < manyAlike || met[same] <= firstAlike),
			f.Severity == rule.Error:
			shown = append(shown, f)
		default:
			hidden[f.Severity][f.Rule.ID]++
		}
	}
	for _, of := range []struct {
		severity rule.Severity
		say      string
	}{{rule.Warning, "warnings are like others and not shown"}, {rule.Note, "notes are not shown"}} {
		n, parts := 0, []string(nil)
		for _, id := range slices.Sorted(maps.Keys(hidden[of.severity])) {
			n += hidden[of.severity][id]
			parts = append(parts, fmt.Sprintf("%s %d", id, hidden[of.severity][id]))
		}
		if n > 0 {
			left = append(left, fmt.Sprintf("%d %s (%s); to see them: crdctl check --fail-on %s", n, of.say, strings.Join(parts, ", "), of.severity))
		}
	}
	return shown, left
}

// Texts are findings as compilers write theirs, each with what to do about it, and the first of each rule with why it matters.
func Texts(found []rule.Finding) []string {
	told := map[*rule.Rule]bool{}
	texts := make([]string, len(found))
	for i, f := range found {
		if told[f.Rule] {
			texts[i] = lines(f, f.Hint())
		} else {
			texts[i] = Text(f)
		}
		told[f.Rule] = true
	}
	return texts
}

// Text is a finding as compilers write theirs, with why it matters and what to do about it.
func Text(f rule.Finding) string { return lines(f, f.Rule.Why, f.Hint()) }

func lines(f rule.Finding, more ...string) string {
	return fmt.Sprintf("%s: %s: %s [%s]\n    %s", cmp.Or(f.Place.String(), f.Subject), f.Severity, withOthers(f), f.Rule.ID, strings.Join(more, "\n    "))
}

// withOthers is the message of a finding, with the number of other CRDs that have it for the same Go type.
func withOthers(f rule.Finding) string {
	if f.Rule.Family != rule.Preflight {
		return f.Message
	}
	crds := map[string]bool{}
	for _, subject := range append([]string{f.Subject}, f.Also...) {
		crd, _, _ := strings.Cut(subject, "/")
		crds[crd] = true
	}
	if len(crds) == 1 {
		return f.Message
	}
	return fmt.Sprintf("%s (and in %s)", f.Message, text.Count(len(crds)-1, "more CRD", "more CRDs"))
}

// checkDocument is the one object of -o json. Scripts read it: fields may come, none may go or change its meaning. See docs/check.md.
type checkDocument struct {
	Findings []checkFinding         `json:"findings"`
	Judged   map[rule.Family]string `json:"judged"`
	Notes    []string               `json:"notes"`
	Allowed  int                    `json:"allowed"`
	// Undetermined is there where the exit code is 2.
	Undetermined string `json:"undetermined,omitempty"`
}

type checkFinding struct {
	Rule        string        `json:"rule"`
	Family      rule.Family   `json:"family"`
	Category    rule.Category `json:"category,omitempty"`
	Severity    string        `json:"severity"`
	File        string        `json:"file,omitempty"`
	Line        int           `json:"line,omitempty"`
	Column      int           `json:"column,omitempty"`
	Subject     string        `json:"subject,omitempty"`
	Also        []string      `json:"also,omitempty"`
	Message     string        `json:"message"`
	Why         string        `json:"why"`
	Fix         string        `json:"fix"`
	Fingerprint string        `json:"fingerprint"`
}

// JSON returns the findings as one object. Paths are relative to the project.
func (c Check) JSON() ([]byte, error) { return encode(c.document()) }

func (c Check) document() *checkDocument {
	d := &checkDocument{Findings: []checkFinding{}, Judged: c.Judged, Notes: append([]string{}, c.Notes...), Allowed: c.Allowed, Undetermined: c.Undetermined}
	for _, f := range c.Findings {
		d.Findings = append(d.Findings, checkFinding{
			Rule: f.Rule.ID, Family: f.Rule.Family, Category: f.Rule.Category, Severity: f.Severity.String(),
			File: f.Place.File, Line: f.Place.Line, Column: f.Place.Col, Subject: f.Subject, Also: f.Also,
			Message: f.Message, Why: f.Rule.Why, Fix: f.Hint(), Fingerprint: f.Fingerprint(),
		})
	}
	return d
}

// GitHub returns the findings as workflow commands, and the summary as a line of the log.
func (c Check) GitHub() []byte {
	var b strings.Builder
	for _, f := range c.Findings {
		name := map[rule.Severity]string{rule.Error: "error", rule.Warning: "warning", rule.Note: "notice"}[f.Severity]
		properties := []string{"title", f.Rule.ID}
		if f.Place.File != "" {
			place := []string{"file", c.Prefix + f.Place.File, "line", fmt.Sprint(max(1, f.Place.Line))}
			if f.Place.Line > 0 && f.Place.Col > 0 {
				place = append(place, "col", fmt.Sprint(f.Place.Col))
			}
			properties = append(place, properties...)
		}
		b.WriteString(command(name, strings.Join([]string{withOthers(f), f.Rule.Why, f.Hint()}, "\n"), properties...))
	}
	for _, n := range c.Notes {
		b.WriteString(command("notice", n, "title", "crdctl "+cmp.Or(c.Command, "check")))
	}
	if c.Undetermined != "" {
		b.WriteString(command("error", c.Undetermined, "title", "crdctl "+cmp.Or(c.Command, "check")))
	}
	b.WriteString(c.Summary() + "\n")
	return []byte(b.String())
}

// SARIF returns the findings as a SARIF 2.1.0 log.
func (c Check) SARIF() ([]byte, error) { return sarifLog(c.sarifRun()) }

func (c Check) sarifRun() object {
	var used []*rule.Rule
	for _, f := range c.Findings {
		if !slices.Contains(used, f.Rule) {
			used = append(used, f.Rule)
		}
	}
	slices.SortFunc(used, func(a, b *rule.Rule) int { return strings.Compare(a.ID, b.ID) })
	rules, results, notifications := []object{}, []object{}, []object(nil)
	for _, r := range used {
		rules = append(rules, object{
			"id": r.ID, "shortDescription": object{"text": r.Title}, "fullDescription": object{"text": r.Why},
			"help":                 object{"text": r.Why + "\n" + r.Fix, "markdown": r.Page},
			"helpUri":              "https://github.com/crdctl/crdctl/blob/main/internal/check/rule/pages/" + string(r.Family) + "/" + r.ID + ".md",
			"defaultConfiguration": object{"level": r.Severity.String()},
			"properties":           object{"tags": []string{string(r.Family)}},
		})
	}
	for _, f := range c.Findings {
		result := object{
			"ruleId": f.Rule.ID, "ruleIndex": slices.Index(used, f.Rule), "level": f.Severity.String(), "message": object{"text": withOthers(f) + "\n" + f.Hint()},
			"partialFingerprints": object{"crdctl/v1": f.Fingerprint()},
		}
		location := object{}
		if f.Place.File != "" {
			region := object{"startLine": max(1, f.Place.Line)}
			if f.Place.Col > 0 {
				region["startColumn"] = f.Place.Col
			}
			location["physicalLocation"] = object{"artifactLocation": sarifPath(c.Prefix + f.Place.File), "region": region}
		}
		if f.Subject != "" {
			location["logicalLocations"] = []object{{"fullyQualifiedName": f.Subject}}
		}
		if len(location) > 0 {
			result["locations"] = []object{location}
		}
		results = append(results, result)
	}
	for _, n := range c.Notes {
		notifications = append(notifications, object{"level": "note", "message": object{"text": n}})
	}
	if c.Undetermined != "" {
		notifications = append(notifications, object{"level": "error", "message": object{"text": c.Undetermined}})
	}
	run := sarifRun(c.Version, rules, results, notifications)
	run["invocations"].([]object)[0]["executionSuccessful"] = c.Undetermined == ""
	run["automationDetails"] = object{"id": "crdctl/" + cmp.Or(c.Command, "check")}
	return run
}
