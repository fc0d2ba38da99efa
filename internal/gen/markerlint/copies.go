package markerlint

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/safefs"
)

const (
	copyTag       = "k8s:deepcopy-gen"
	interfacesTag = "k8s:deepcopy-gen:interfaces"
	copiesFile    = "zz_generated.deepcopy.go"
)

// uncopied says where a type is to have DeepCopyObject or the like, and deepcopy-gen makes no copies: without the tag of the
// package, the tag of the type has no effect.
func (p *pkg) uncopied(f *file, t tag) (Severity, string) {
	if t.name() != interfacesTag || p.controllerGen || p.controllerTools || p.copyPackage || t.retired() {
		return Warning, ""
	}
	if k := f.kindOf(t.group); k == nil || f.tagged(k, copyTag) || p.hasCopies() {
		return Warning, ""
	}
	return Error, fmt.Sprintf("+%s has no effect, as deepcopy-gen makes no copies for this package; add // +%s=package to its doc.go, or take the tag out", interfacesTag, copyTag)
}

// hasCopies reports whether a file of the package has DeepCopyObject, other than the one that deepcopy-gen would remove.
func (p *pkg) hasCopies() bool {
	files, err := filepath.Glob(filepath.Join(p.abs, "*.go"))
	if err != nil {
		return true // it cannot be told
	}
	for _, file := range files {
		src, err := safefs.ReadFile(file, safefs.MaxFile)
		switch {
		case os.IsNotExist(err):
		case err != nil:
			return true
		case filepath.Base(file) == copiesFile && codegen.Owns("deepcopy-gen", src):
		case bytes.Contains(src, []byte(") DeepCopyObject(")):
			return true
		}
	}
	return false
}

// copiesAll reports whether a tag of doc.go has deepcopy-gen make the copies of the package.
func copiesAll(t tag) bool {
	v, ok := t.value()
	return ok && t.name() == copyTag && !strings.HasPrefix(v, "false")
}
