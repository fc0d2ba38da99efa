// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/render"
)

func pid(p *process) string { return strconv.Itoa(p.PID()) }

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .parent.metadata.name }}
spec:
  replicas: {{ .parent.spec.replicas | default 1 }}
  selector:
    matchLabels: {{- include "labels" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "labels" . | nindent 8 }}
    spec:
      containers: [{name: nginx, image: "nginx:latest"}]
{{ define "labels" }}foo: {{ .parent.metadata.name | quote }}{{ end }}
`

// BenchmarkRender compares a rendering in this process with one by a helper, and measures the start of a helper.
func BenchmarkRender(b *testing.B) {
	request := object("demo", `{"replicas":2}`)
	b.Run("in process", func(b *testing.B) {
		s, err := render.Parse(map[string]string{"a.yaml": deployment})
		require.NoError(b, err)
		for b.Loop() {
			_, err = s.Sync(request.Body, 8<<20)
			require.NoError(b, err)
		}
	})
	b.Run("helper", func(b *testing.B) {
		d := open(b, Options{}, "a.yaml", deployment)
		_, err := answerTo(b, d, request)
		require.NoError(b, err)
		for b.Loop() {
			_, err = answerTo(b, d, request)
			require.NoError(b, err)
		}
	})
	b.Run("start", func(b *testing.B) {
		d := open(b, Options{}, "a.yaml", deployment)
		for b.Loop() {
			_, err := answerTo(b, d, request)
			require.NoError(b, err)
			d.pool.keep(nil)
		}
	})
}
