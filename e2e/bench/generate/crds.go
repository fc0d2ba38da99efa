package main

import (
	"context"
	"os"
	"path/filepath"
)

// crds measures crdctl with the CRDs, and all else that it makes, against controller-gen, which makes deep copies and
// CRDs only. The CRDs are held to controller-gen's, and all other files to kube_codegen.sh's of a tree that began alike.
func (r *turns) crds(ctx context.Context, n int) error {
	if err := r.restore(); err != nil {
		return err
	}
	if err := copyTree(r.t.start, r.t.crd); err != nil {
		return err
	}
	into := r.row(withCRD)
	ours := r.ours(r.p, r.t.crdctl, r.warm, "--crd-dir", crdDir)
	if err := r.turn(ctx, n, into, r.controllerGen(r.p, r.t.crd, r.warm), ours); err != nil {
		return err
	}
	// kube_codegen.sh makes no CRDs: they come from controller-gen.
	if err := os.Rename(filepath.Join(r.t.crd, crdDir), filepath.Join(r.t.plain, crdDir)); err != nil {
		return err
	}
	return r.compare(into, r.t.plain)
}
