// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"html/template"
	"maps"
	"path"
	"strings"

	"github.com/crdctl/crdctl/internal/apidocs/comment"
	"github.com/crdctl/crdctl/internal/apidocs/reference"
)

// shared are functions of all templates.
var shared = map[string]any{
	"scope": scope, "subresources": subresources, "state": state, "others": others, "summary": summary, "pageOf": pageOf, "linkTo": linkTo,
}

// markdownFuncs are those of Markdown. What they return is escaped.
var markdownFuncs = with(map[string]any{
	"text": comment.Escape, "code": comment.Code, "codes": codes, "cell": comment.Text.Cell, "markdown": comment.Text.Markdown,
	"fence": fence, "type": typeLink, "limit": limit, "rule": rule, "facts": facts,
})

// htmlFuncs are those of HTML, where the template escapes text.
var htmlFuncs = with(map[string]any{"prose": comment.Text.HTML, "id": id, "css": css})

func with(own map[string]any) map[string]any {
	maps.Copy(own, shared)
	return own
}

func scope(k *reference.Kind) string {
	if k.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}

func subresources(v *reference.Version) string {
	var all []string
	if v.Status {
		all = append(all, "status")
	}
	if v.Scale != nil {
		all = append(all, "scale ("+strings.TrimPrefix(v.Scale.SpecReplicasPath, ".")+")")
	}
	return strings.Join(all, ", ")
}

// state is what sets a version apart.
func state(v *reference.Version) string {
	var all []string
	if v.Deprecated {
		all = append(all, "deprecated")
	}
	if !v.Served {
		all = append(all, "not served")
	}
	return strings.Join(all, ", ")
}

// others are the other versions of the kind.
func others(v *reference.Version) (all []*reference.Version) {
	for _, o := range v.Kind.Versions {
		if o != v {
			all = append(all, o)
		}
	}
	return all
}

// summary is the first paragraph of a text.
func summary(t comment.Text) comment.Text { return t[:min(1, len(t))] }

// pageOf is the path of the page of a version.
func pageOf(v *reference.Version) string {
	return path.Join(v.Kind.Group, v.Name, strings.ToLower(v.Kind.Name)+".md")
}

// linkTo is the way from the page of a version to that of another one of the same group.
func linkTo(from, to *reference.Version) string {
	return path.Join("..", to.Name, path.Base(pageOf(to)))
}

func codes(all []string) string {
	var out []string
	for _, s := range all {
		out = append(out, comment.Code(s))
	}
	return strings.Join(out, ", ")
}

// fence is a block of code.
func fence(language, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks
}

func typeLink(t reference.Type) string {
	if t.URL == "" {
		return comment.Escape(t.Text)
	}
	return "[" + comment.Escape(t.Text) + "](" + t.URL + ")"
}

func limit(l reference.Limit) string {
	if l.Code == "" {
		return comment.Escape(l.Text)
	}
	return comment.Escape(l.Text) + ": " + comment.Code(l.Code)
}

func rule(r reference.Rule) string {
	if r.Message == "" {
		return comment.Code(r.Rule)
	}
	return comment.Escape(strings.TrimRight(r.Message, ". \n")) + ": " + comment.Code(r.Rule)
}

// facts is what follows the description of a field in its cell.
func facts(f *reference.Field) string {
	var lines []string
	list := ""
	if f.Default != "" {
		lines = append(lines, "Default: "+comment.Code(f.Default))
	}
	for _, l := range f.Limits {
		lines = append(lines, limit(l))
	}
	for _, r := range f.Rules {
		lines = append(lines, "Rule: "+rule(r))
	}
	if len(f.Enum) > 0 {
		described := false
		var values, items []string
		for _, v := range f.Enum {
			text := comment.Code(v.Text)
			values = append(values, text)
			if len(v.Description) > 0 {
				text, described = text+": "+v.Description.Cell(), true
			}
			items = append(items, "<li>"+text+"</li>")
		}
		if described {
			list = "One of:<ul>" + strings.Join(items, "") + "</ul>"
		} else {
			lines = append(lines, "One of: "+strings.Join(values, ", "))
		}
	}
	text := strings.Join(lines, "<br/>")
	if list != "" {
		text = strings.Join(append(lines, list), "<br/>")
	}
	if described := f.Description.Cell(); text != "" && described != "" && !strings.HasSuffix(described, "l>") {
		return "<br/><br/>" + text
	}
	return text
}

// id is the anchor of a version, or of a field of it, on the page that has all.
func id(v *reference.Version, anchor string) string {
	id := fmt.Sprintf("%s/%s/%s", v.Kind.Group, v.Name, v.Kind.Name)
	if anchor != "" {
		id += "." + anchor
	}
	return id
}

// css is the style sheet of the page.
func css() (template.CSS, error) {
	data, err := builtin.ReadFile("templates/style.css")
	return template.CSS(data), err //nolint:gosec // it is a file of crdctl's
}
