// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"

	"github.com/stretchr/testify/assert"
)

const statusPath = "PATCH /apis/example.com/v1/namespaces/default/foos/a/status"

func TestStatusIsWrittenWhereItDiffers(t *testing.T) {
	for name, c := range map[string]struct {
		answer, before, patch string
		declared              bool
	}{
		"none":              {answer: `{}`},
		"null":              {answer: `{"status":null}`},
		"equal":             {answer: `{"status":{"n":1,"f":0.5}}`, before: `{"status":{"f":0.5,"n":1}}`},
		"new":               {answer: `{"status":{"n":9007199254740993,"t":"<"}}`, patch: `{"n":9007199254740993,"t":"\u003c"}`},
		"empty":             {answer: `{"status":{}}`, before: `{"status":{"n":1}}`, patch: `{}`},
		"declared":          {answer: `{"status":{"n":1}}`, declared: true, patch: `{"n":1,"observedGeneration":1}`},
		"declared, equal":   {answer: `{"status":{"n":1}}`, declared: true, before: `{"status":{"n":1,"observedGeneration":1}}`},
		"handed back":       {answer: `{"status":{"n":1,"observedGeneration":0}}`, declared: true, patch: `{"n":1,"observedGeneration":1}`},
		"its own, no field": {answer: `{"status":{"observedGeneration":7}}`, patch: `{"observedGeneration":7}`},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(b *bed) {
				b.decider.answers[hook.Sync] = c.answer
				result, err := b.reconcile(foo("a", c.before))
				assert.NoError(b, err)
				assert.Equal(b, c.patch == "", result.Quiet)
				if c.patch == "" {
					b.wrote("nothing to write")
					return
				}
				request := b.wrote("another status", statusPath)[0]
				want := `[{"op":"test","path":"/metadata/uid","value":"uid-a"},{"op":"add","path":"/status","value":` + c.patch + `}]`
				assert.Equal(b, want, request.Body)
				assert.Equal(b, "application/json-patch+json", request.ContentType)
			}, func(b *bed) { b.handle.Kind.ObservedGeneration = c.declared })
		})
	}
}

func TestStatusWithoutASubresource(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.decider.answers[hook.Sync] = `{"status":{"n":1}}`
		b.expect(foo("a"), "")
		b.wrote("a status", strings.TrimSuffix(statusPath, "/status"))
	}, func(b *bed) { b.handle.Kind.StatusSubresource = false })
}

// What the CRD has no field for, the API server leaves out: to write it again would not help.
func TestStatusThatIsPrunedIsWrittenOnce(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.respond = func(r operatortest.Request) (int, string) {
			return http.StatusOK, foo("a", `{"status":{"n":1}}`, `"resourceVersion":"2"`)
		}
		b.decider.answers[hook.Sync] = `{"status":{"n":1,"unknown":true}}`
		for _, want := range [][]string{{statusPath}, nil, nil} {
			b.expect(foo("a", `{"status":{"n":1}}`), "")
			b.wrote("pruned", want...)
		}
		b.expect(foo("a", `{"status":{"n":2}}`), "")
		b.wrote("another client changed it", statusPath)
	})
}

func TestStatusesThatCannotBeWritten(t *testing.T) {
	for reason, c := range map[string]struct {
		code int
		err  string
	}{
		"NotFound": {code: http.StatusNotFound}, // it is not read
		"Invalid":  {code: http.StatusUnprocessableEntity, err: "write the status of Foo default/a: it says Invalid"},
	} {
		inBubble(t, nil, func(b *bed) {
			b.respond = func(operatortest.Request) (int, string) { return status(c.code, reason) }
			b.decider.answers[hook.Sync] = `{"status":{"n":1}}`
			b.expect(foo("a"), c.err)
		})
	}
}
