// SPDX-License-Identifier: Apache-2.0

package report

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"

	"github.com/crdctl/crdctl/internal/tree"
)

// object is an object of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
type object = map[string]any

// sarifKinds are the rules, in the order of their indexes.
var sarifKinds = []Kind{Missing, Stale, LeftOver}

// SARIF returns the report as a SARIF 2.1.0 log, the form in which code scanning services take findings.
func (r Report) SARIF() ([]byte, error) {
	rules := []object{
		sarifRule(Missing, "Generated file is missing", "The API packages and the settings ask for this file, but it does not exist."),
		sarifRule(Stale, "Generated file is stale", "The file differs from what the generators write for the API packages and the settings."),
		sarifRule(LeftOver, "Generated file is left over", "A generator wrote this file earlier, but it is no longer generated."),
	}
	var notifications []object
	notify := func(level, text string) {
		notifications = append(notifications, object{"level": level, "message": object{"text": text}})
	}
	if r.Outdated != "" {
		notify("warning", r.Outdated)
	}
	for _, n := range r.Asides() {
		notify("note", n)
	}
	results := []object{} // none is an empty list: a missing one means that nothing was looked at
	for _, c := range r.Changes {
		results = append(results, r.sarifResult(c))
	}
	runs := []object{sarifRun(r.Version, rules, results, notifications)}
	if r.Check != nil {
		runs = append(runs, r.Check.sarifRun())
	}
	return sarifLog(runs...)
}

// sarifLog is a log of some runs.
func sarifLog(runs ...object) ([]byte, error) {
	return encode(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": runs})
}

// sarifRun is one run of the tool.
func sarifRun(version string, rules, results, notifications []object) object {
	invocation := object{"executionSuccessful": true}
	if notifications != nil {
		invocation["toolExecutionNotifications"] = notifications
	}
	return object{
		"tool":        object{"driver": object{"name": "crdctl", "version": version, "informationUri": "https://github.com/crdctl/crdctl", "rules": rules}},
		"invocations": []object{invocation},
		"columnKind":  "utf16CodeUnits",
		"results":     results,
	}
}

// sarifPath is a file as SARIF names it. The URL's own writer, since a path may contain what the path of a URI may not: a space, a colon in its first part.
func sarifPath(path string) object {
	return object{"uri": (&url.URL{Path: path}).String(), "uriBaseId": "%SRCROOT%"}
}

func sarifRule(kind Kind, short, full string) object {
	return object{
		"id": kind, "shortDescription": object{"text": short}, "fullDescription": object{"text": full},
		"help":                 object{"text": "Run \"crdctl generate\" and commit the result."},
		"defaultConfiguration": object{"level": "error"},
	}
}

func (r Report) sarifResult(c tree.Change) object {
	kind, path := KindOf(c.Op), r.Prefix+c.Path
	return object{
		"ruleId": kind, "ruleIndex": slices.Index(sarifKinds, kind), "level": "error", "message": object{"text": message(c)},
		"locations": []object{{"physicalLocation": object{
			"artifactLocation": sarifPath(path),
			"region":           object{"startLine": firstDifference(c).line},
		}}},
		// A finding stays the same one while the file goes on differing, wherever it does, and also if it is missing,
		// where the service finds no line to make a fingerprint of.
		"partialFingerprints": object{"primaryLocationLineHash": fmt.Sprintf("%.8x:1", sha256.Sum256([]byte(string(kind)+"\x00"+path)))},
	}
}
