// SPDX-License-Identifier: Apache-2.0

package crdgen

import (
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/applyconfiguration"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"
)

// registry has the markers of all of controller-gen's generators, with their arguments and targets.
var registry = sync.OnceValues(func() (*markers.Registry, error) {
	into := &markers.Registry{}
	for _, g := range []genall.Generator{crd.Generator{}, rbac.Generator{}, webhook.Generator{}, deepcopy.Generator{}, applyconfiguration.Generator{}} {
		if err := g.RegisterMarkers(into); err != nil {
			return nil, err
		}
	}
	return into, nil
})

var targets = []markers.TargetType{markers.DescribesPackage, markers.DescribesType, markers.DescribesField}

// Markers are the names of all markers that controller-gen knows, in any order.
func Markers() ([]string, error) {
	known, err := registry()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range known.AllDefinitions() {
		names = append(names, d.Name)
	}
	return names, nil
}

// Marker is what controller-tools makes of one marker comment.
type Marker struct {
	// Name is that of the marker, without arguments; empty if there is none, for any target.
	Name string
	// Read tells that the marker stands where controller-tools reads it.
	Read bool
	// Targets say where it may stand: "package", "type", "field".
	Targets []string
	// Arguments are the names that it has for its arguments, sorted.
	Arguments []string
	// Err is what is wrong with its arguments.
	Err error
}

// ReadMarkers lets controller-tools itself read the marker comments of a parsed file. For the time of the call the comments
// have other texts: the collector says which markers it found, but not where each of them stood, so each gets a name of
// its own.
func ReadMarkers(file *ast.File, comments []*ast.Comment) ([]Marker, error) {
	known, err := registry()
	if err != nil {
		return nil, err
	}
	all := make([]Marker, len(comments))
	own := &markers.Registry{}
	for i, c := range comments {
		text := strings.TrimSpace(c.Text[len("//"):])
		for _, target := range targets {
			d := known.Lookup(text, target)
			if d == nil {
				continue
			}
			if err := own.Define(alias(i), target, struct{}{}); err != nil {
				return nil, err
			}
			all[i].Name = d.Name
			all[i].Arguments = slices.Sorted(maps.Keys(d.FieldNames))
			all[i].Targets = append(all[i].Targets, d.Target.String())
			if _, err := d.Parse(text); err != nil && all[i].Err == nil {
				all[i].Err = words(err)
			}
		}
	}
	for i, c := range comments {
		text := c.Text
		c.Text = "// +" + alias(i)
		defer func() { c.Text = text }()
	}
	collector := markers.Collector{Registry: own}
	read, err := collector.MarkersInPackage(&loader.Package{Package: &packages.Package{Syntax: []*ast.File{file}}})
	if err != nil {
		return nil, err
	}
	for _, values := range read {
		for i := range all {
			all[i].Read = all[i].Read || values.Get(alias(i)) != nil
		}
	}
	return all, nil
}

func alias(i int) string { return fmt.Sprintf("crdctl%d", i) }

// notNumber is what strconv says of a value that is not a number.
var notNumber = regexp.MustCompile(`(?:invalid \w+ value: )?strconv\.Parse\w+: parsing (".*"): invalid syntax`)

// words leaves the first of several complaints, without its place in the marker. Missing arguments are told last, and
// come in any order.
func words(err error) error {
	list, ok := errors.AsType[loader.ErrList](err)
	if !ok {
		list = loader.ErrList{err}
	}
	var missing []string
	for _, e := range list {
		message := e.Error()
		if scan, ok := errors.AsType[*markers.ScannerError](e); ok {
			message = scan.Msg
		}
		if !strings.HasPrefix(message, "missing argument") {
			return errors.New(notNumber.ReplaceAllString(message, "$1 is not a number"))
		}
		if message == `missing argument ""` { // the only argument of such a marker has no name
			message = "missing value"
		}
		missing = append(missing, message)
	}
	slices.Sort(missing)
	return errors.New(strings.Join(missing, ", "))
}
