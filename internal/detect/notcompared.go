package detect

import (
	"path"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/tree"
)

func (d *discovery) notCompared(kind, tool string, paths []string, reason string) {
	slices.Sort(paths)
	d.found.NotCompared = append(d.found.NotCompared, tree.NotCompared{Kind: kind, Tool: tool, Paths: paths, Reason: reason})
}

// madeAnyway reports whether settings have crdctl make the files all the same.
func madeAnyway(n tree.NotCompared, p *config.Project) bool {
	dir := map[string]string{"crd": p.CRDs.Dir, "rbac": p.RBAC.Dir}[n.Kind]
	return dir != "" && path.Dir(n.Paths[0]) == path.Clean(dir)
}
