// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// prepare returns the values of a chart under those that its parent has for it, with those of its dependencies in them, and leaves it the
// dependencies that these values turn on. missing are those that it does not have.
//
// Helm's own function for this does more, such as import-values, but links a validator of JSON schemas whose initializer takes 3 ms of every
// command.
func prepare(c *chart.Chart, parent, tags map[string]any) (values common.Values, missing []string) {
	values = merge(c.Values, parent)
	if tags == nil {
		tags, _ = values["tags"].(map[string]any)
	}
	global, _ := values["global"].(map[string]any)
	var kept []*chart.Chart
	declared := map[string]bool{}
	use := func(dep *chart.Chart, name string) (lacks []string) {
		under, _ := values[name].(map[string]any)
		below, lacks := prepare(dep, merge(under, map[string]any{"global": global}), tags)
		values[name] = map[string]any(below)
		return lacks
	}
	all := c.Dependencies()
	for _, d := range c.Metadata.Dependencies {
		if d == nil {
			continue
		}
		declared[d.Name] = true
		dep := named(all, d)
		if dep == nil {
			if enabled(d, values, tags) {
				missing = append(missing, d.Name)
			}
			continue
		}
		if lacks := use(dep, dep.Name()); enabled(d, values, tags) { // a condition may be among its own values
			kept, missing = append(kept, dep), append(missing, lacks...)
		}
	}
	for _, dep := range all {
		if !declared[dep.Name()] {
			kept, missing = append(kept, dep), append(missing, use(dep, dep.Name())...)
		}
	}
	c.SetDependencies(kept...)
	return values, missing
}

// named returns a copy of the chart that a dependency names, with its alias for a name; nil if the chart does not have it.
func named(charts []*chart.Chart, d *chart.Dependency) *chart.Chart {
	i := slices.IndexFunc(charts, func(c *chart.Chart) bool { return c.Name() == d.Name })
	if i < 0 {
		return nil
	}
	dep, metadata := *charts[i], *charts[i].Metadata
	if d.Alias != "" {
		metadata.Name = d.Alias
	}
	dep.Metadata = &metadata
	return &dep
}

// enabled reports whether the values turn a dependency on: the first condition that they have decides, or else its tags.
func enabled(d *chart.Dependency, values common.Values, tags map[string]any) bool {
	for condition := range strings.SplitSeq(d.Condition, ",") {
		if value, err := values.PathValue(strings.TrimSpace(condition)); err == nil {
			if on, ok := value.(bool); ok {
				return on
			}
		}
	}
	on, off := false, false
	for _, tag := range d.Tags {
		if value, ok := tags[tag].(bool); ok {
			on, off = on || value, off || !value
		}
	}
	return on || !off
}

// merge returns values with others over them. Null takes a value away, and is none where there is no value.
func merge(values, over map[string]any) map[string]any {
	all := maps.Clone(values)
	if all == nil {
		all = map[string]any{}
	}
	for key, value := range over {
		before, _ := all[key].(map[string]any)
		switch value := value.(type) {
		case nil:
			delete(all, key)
		case map[string]any:
			all[key] = merge(before, value)
		default:
			all[key] = value
		}
	}
	return all
}
