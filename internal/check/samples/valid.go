// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Sample is an object that has a YAML document of its own in a file that users apply.
type Sample struct {
	schema.GroupVersionKind
	File string // relative to the root
	Text string // of the document, without comments above the object
}

// Valid are the samples that the API server takes as they are, and loses nothing of, sorted by file. Kinds that cannot be judged have none.
func Valid(ctx context.Context, p *project.Project) ([]Sample, error) {
	sources, _, err := find(p)
	if err != nil {
		return nil, err
	}
	var all []Sample
	j := judge{project: p, mutates: p.Mutates, crds: p.CRDs, kinds: map[string]*kind{}}
	for _, s := range sources {
		if s.role != sample || len(s.problems) > 0 || strings.HasSuffix(s.file, ".json") {
			continue
		}
		for _, o := range s.objects {
			text := strings.TrimSpace(above.ReplaceAllString(string(o.text), ""))
			if k := j.kindOf(o); text == "" || k == nil || j.version(k, o.GroupVersionKind().Version) == nil {
				continue
			}
			found := j.object(ctx, s, o)
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			if len(found) > 0 {
				continue
			}
			all = append(all, Sample{o.GroupVersionKind(), s.file, text + "\n"})
		}
	}
	return all, nil
}

// above matches what stands above an object: the line that starts its document, a license, empty lines.
var above = lazyregexp.New(`\A(?:(?:---[^\n]*|#[^\n]*|[ \t\r]*)\n)+`)
