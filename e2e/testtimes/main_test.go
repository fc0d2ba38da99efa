// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestShow(t *testing.T) {
	const pass = `{"Action":"start","Package":"a"}
{"Action":"output","Package":"a","Test":"TestA","Output":"quiet\n"}
{"Action":"pass","Package":"a","Test":"TestA","Elapsed":1}
{"Action":"pass","Package":"a","Elapsed":1.5}
{"Action":"skip","Package":"none","Elapsed":0}
`
	const fail = `{"Action":"output","Package":"b","Test":"TestB","Output":"loud\n"}
{"Action":"fail","Package":"b","Test":"TestB","Elapsed":2}
{"Action":"fail","Package":"b","Elapsed":2.5}
`
	for name, c := range map[string]struct {
		in   string
		fail string
		want []string
	}{
		"pass":    {pass, "", []string{"ok   a 1.5s\n", "    1.5s  a\n    1.5s  in 1 packages, which took 3s\n"}},
		"fail":    {pass + fail, "1 packages failed", []string{"loud\n", "    2.5s  b\n    1.5s  a\n", "took 3s\n\nTestB of b failed:\nloud\n"}},
		"long":    {strings.Replace(fail, "loud", strings.Repeat("é", width), 1), "1 packages failed", []string{"TestB of b failed:\n" + strings.Repeat("é", width/2) + "…\n"}},
		"build":   {`{"ImportPath":"c","Action":"build-output","Output":"c.go:1: bad\n"}` + "\n" + `{"ImportPath":"c","Action":"build-fail"}` + "\n" + pass, "1 packages failed", []string{"c.go:1: bad\n"}},
		"killed":  {pass + `{"Action":"start","Package":"d"}` + "\n", "1 packages failed", []string{"  no end  d\n"}},
		"crash":   {`{"Action":"output","Package":"e","Test":"TestE","Output":"panic: x\n"}` + "\n" + `{"Action":"fail","Package":"e","Elapsed":1}`, "1 packages failed", []string{"panic: x\n"}},
		"nothing": {"go: no such module\n", "no package was tested", []string{"go: no such module\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := show(strings.NewReader(c.in), &out, func() time.Duration { return 3 * time.Second })
			if err != nil && err.Error() != c.fail || err == nil && c.fail != "" {
				t.Errorf("error %v, want %q", err, c.fail)
			}
			for _, want := range c.want {
				assert.Contains(t, out.String(), want, "no: %s", &out)
			}
			assert.NotContains(t, out.String(), "quiet", "the output of a test that passed is shown:\n%s", &out)
		})
	}
}
