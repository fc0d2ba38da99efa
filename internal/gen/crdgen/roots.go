package crdgen

import (
	"go/token"
	"reflect"
	"slices"
	"unsafe"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// listedRoots are the roots of a listing as controller-tools' loader would hand them out. It has no way to be given packages:
// it runs the go command four times, which takes longer than all that comes after. So what its LoadRootsWithConfig
// would fill in is filled in from outside; TestListedRoots holds the fields to what they are called.
func listedRoots(l *load.Listing) []*loader.Package {
	byRaw := map[*packages.Package]*loader.Package{}
	own := reflect.New(field(&loader.Package{}, "loader").Type().Elem())
	open(own.Elem().FieldByName("cfg")).Set(reflect.ValueOf(&packages.Config{Fset: token.NewFileSet()}))
	open(own.Elem().FieldByName("packages")).Set(reflect.ValueOf(byRaw))
	var roots []*loader.Package
	for _, raw := range l.Roots {
		p := &loader.Package{Package: raw}
		field(p, "loader").Set(own)
		byRaw[raw] = p // what imports it gets this very one
		roots = append(roots, p)
	}
	return roots
}

func field(p *loader.Package, name string) reflect.Value {
	return open(reflect.ValueOf(p).Elem().FieldByName(name))
}

// open makes a field settable that its package keeps to itself.
func open(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() //nolint:gosec // see listedRoots
}

// contextOf is what controller-tools hands to a generator, without anything loaded.
func contextOf(g genall.Generators, roots []*loader.Package) (*genall.GenerationContext, error) {
	c := &genall.GenerationContext{
		Collector: &markers.Collector{Registry: &markers.Registry{}},
		Roots:     roots,
		InputRule: genall.InputFromFileSystem,
		Checker:   &loader.TypeChecker{NodeFilters: g.CheckFilters()},
	}
	return c, g.RegisterMarkers(c.Collector.Registry)
}

// wasRead tells whether a generator asked for one of the packages of which there was no more than a name.
func wasRead(unread []*packages.Package) bool {
	return slices.ContainsFunc(unread, func(p *packages.Package) bool { return p.Syntax != nil || p.TypesInfo != nil })
}
