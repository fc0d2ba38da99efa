// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNested(t *testing.T) {
	for line, want := range map[string]string{
		`sh -c 'cd api && gen ./...'`:                                                  "cd gen",
		`docker run --rm -v /x:/src image:1 bash -c "gen ./..."`:                       "gen",
		`$(DOCKER_RUN) $(IMAGE) sh -c 'git config --global x y; gen --a b \` + "\n c'": "git gen",
		`docker run image /bin/bash -euo pipefail -c 'gen'`:                            "gen",
		`docker run image sh hack/gen.sh -c 'gen'`:                                     "-",
		`docker run image sh --norc -c 'gen'`:                                          "-",
		`find . -exec sh -c 'gen' {}`:                                                  "-",
		`echo sh -c 'gen'`:                                                             "-",
		`gen`:                                                                          "-",
		`sh`:                                                                           "-",
	} {
		all := Read(Make, Root+"/Makefile", "x:\n\t"+line+"\n", Root).Commands
		assert.NotEmpty(t, all, line)
		got := ""
		last := all[len(all)-1]
		nested, ok := last.Nested(Root + "/Makefile")
		for _, c := range nested {
			got += " " + c.Words[0]
			assert.Equal(t, last.Line, c.Line, line)
		}
		if !ok {
			got = " -"
		}
		assert.Equal(t, " "+want, got, line)
	}
}
