// SPDX-License-Identifier: Apache-2.0

package comment

import (
	"html/template"
	"strings"
)

// HTML is the text as HTML.
func (t Text) HTML() template.HTML {
	var s strings.Builder
	for _, b := range t {
		switch {
		case b.Items != nil:
			var list strings.Builder
			for _, item := range b.Items {
				list.WriteString("<li>" + inlineHTML(item) + "</li>")
			}
			s.WriteString(tag(b, list.String()))
		case b.Code != nil:
			s.WriteString("<pre><code>" + template.HTMLEscapeString(strings.Join(b.Code, "\n")) + "</code></pre>")
		default:
			s.WriteString("<p>" + inlineHTML(b.Paragraph) + "</p>")
		}
	}
	return template.HTML(s.String()) //nolint:gosec // all text in it is escaped
}

func inlineHTML(all []Inline) string {
	var s strings.Builder
	for _, i := range all {
		text := template.HTMLEscapeString(i.Text)
		switch {
		case i.Code:
			s.WriteString("<code>" + text + "</code>")
		case i.URL != "":
			s.WriteString(`<a href="` + template.HTMLEscapeString(i.URL) + `">` + text + "</a>")
		default:
			s.WriteString(text)
		}
	}
	return s.String()
}
