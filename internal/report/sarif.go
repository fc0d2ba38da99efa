package report

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"

	"github.com/crdctl/crdctl/internal/tree"
)

// SARIF returns the report as a SARIF 2.1.0 log, the form in which code scanning services take findings.
func (r Report) SARIF() ([]byte, error) {
	run := sarifRun{
		Tool:        sarifTool{Driver: sarifDriver{Name: "crdctl", Version: r.Version, InformationURI: "https://github.com/crdctl/crdctl", Rules: sarifRules()}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: true}},
		ColumnKind:  "utf16CodeUnits",
		Results:     []sarifResult{}, // none is an empty list: a missing one means that nothing was looked at
	}
	if r.Outdated != "" {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{Level: "warning", Message: sarifText{r.Outdated}})
	}
	for _, n := range r.Asides() {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{Level: "note", Message: sarifText{n}})
	}
	for _, c := range r.Changes {
		run.Results = append(run.Results, r.sarifResult(c, run.Tool.Driver.Rules))
	}
	return encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func (r Report) sarifResult(c tree.Change, rules []sarifRule) sarifResult {
	kind, path := KindOf(c.Op), r.Prefix+c.Path
	var at sarifPhysicalLocation
	// The URL's own writer, since a path may hold what is no path in a URI: a space, a colon in its first part.
	at.ArtifactLocation.URI = (&url.URL{Path: path}).String()
	at.ArtifactLocation.URIBaseID = "%SRCROOT%"
	at.Region.StartLine = firstDifference(c).line
	return sarifResult{
		RuleID:    string(kind),
		RuleIndex: slices.IndexFunc(rules, func(rule sarifRule) bool { return rule.ID == string(kind) }),
		Level:     "error",
		Message:   sarifText{message(c)},
		Locations: []sarifLocation{{at}},
		// A finding stays the same one while the file goes on differing, wherever it does, and also if it is missing,
		// where the service finds no line to make a fingerprint of.
		Fingerprints: map[string]string{"primaryLocationLineHash": fmt.Sprintf("%.8x:1", sha256.Sum256([]byte(string(kind)+"\x00"+path)))},
	}
}

func sarifRules() []sarifRule {
	rule := func(kind Kind, short, full string) sarifRule {
		return sarifRule{
			ID: string(kind), Short: sarifText{short}, Full: sarifText{full},
			Help:          sarifText{"Run \"crdctl generate\" and commit the result."},
			Configuration: sarifConfiguration{Level: "error"},
		}
	}
	return []sarifRule{
		rule(Missing, "Generated file is missing", "The API packages and the settings ask for this file, and it is not there."),
		rule(Stale, "Generated file is stale", "The file differs from what the generators make of the API packages and the settings."),
		rule(LeftOver, "Generated file is left over", "A generator wrote this file once, and nothing asks for it any more."),
	}
}
