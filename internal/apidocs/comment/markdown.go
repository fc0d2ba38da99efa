// SPDX-License-Identifier: Apache-2.0

package comment

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Cell is the text for a cell of a table in Markdown: one line, with HTML for what Markdown has no place for in a table.
func (t Text) Cell() string {
	var parts []string
	for _, b := range t {
		switch {
		case b.Items != nil:
			var list strings.Builder
			for _, item := range b.Items {
				list.WriteString("<li>" + inlineMarkdown(item) + "</li>")
			}
			parts = append(parts, tag(b, list.String()))
		case b.Code != nil:
			var lines []string
			for _, line := range b.Code {
				text := strings.TrimLeft(line, " ")
				lines = append(lines, strings.Repeat("&nbsp;", len(line)-len(text))+entities(text))
			}
			parts = append(parts, "<code>"+strings.Join(lines, "<br/>")+"</code>")
		default:
			parts = append(parts, inlineMarkdown(b.Paragraph))
		}
	}
	return joined(parts)
}

// joined puts line breaks between paragraphs; lists have their own.
func joined(parts []string) string {
	var all strings.Builder
	for i, part := range parts {
		if i > 0 && !strings.HasSuffix(parts[i-1], "l>") && !strings.HasSuffix(part, "l>") {
			all.WriteString("<br/><br/>")
		}
		all.WriteString(part)
	}
	return all.String()
}

func tag(b Block, content string) string {
	if b.Ordered {
		return "<ol>" + content + "</ol>"
	}
	return "<ul>" + content + "</ul>"
}

// Markdown is the text as blocks of Markdown, with one line break at its end.
func (t Text) Markdown() string {
	var all []string
	for _, b := range t {
		switch {
		case b.Items != nil:
			var lines []string
			for i, item := range b.Items {
				mark := "- "
				if b.Ordered {
					mark = fmt.Sprintf("%d. ", i+1)
				}
				lines = append(lines, mark+atStart(inlineMarkdown(item)))
			}
			all = append(all, strings.Join(lines, "\n"))
		case b.Code != nil:
			text := strings.Join(b.Code, "\n")
			marks := "```"
			for strings.Contains(text, marks) {
				marks += "`"
			}
			all = append(all, marks+"\n"+text+"\n"+marks)
		default:
			all = append(all, atStart(inlineMarkdown(b.Paragraph)))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, "\n\n") + "\n"
}

// startsBlock matches what has a meaning at the start of a line only.
var startsBlock = lazyregexp.New(`^(?:([-+=:])|(\d+)([.)]))`)

func atStart(line string) string {
	return startsBlock.ReplaceAllString(line, `$2\$1$3`)
}

func inlineMarkdown(all []Inline) string {
	var s strings.Builder
	for _, i := range all {
		switch {
		case i.Code:
			s.WriteString(Code(i.Text))
		case i.URL != "":
			fmt.Fprintf(&s, "[%s](%s)", Escape(i.Text), escapeURL(i.URL))
		default:
			s.WriteString(Escape(i.Text))
		}
	}
	return s.String()
}

// Code is a text as code in a line of Markdown, also in a table.
func Code(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if s == "" {
		return ""
	}
	if strings.ContainsAny(s, "`|") || strings.Contains(s, "{{") {
		return "<code>" + entities(s) + "</code>"
	}
	return "`" + s + "`"
}

// Escape is a text that Markdown shows as it is, on one line.
func Escape(s string) string {
	runes := []rune(strings.Join(strings.FieldsFunc(clean(s), func(r rune) bool { return r == '\n' }), " "))
	var out strings.Builder
	for i, r := range runes {
		switch {
		case strings.ContainsRune("<>&", r):
			out.WriteString(html.EscapeString(string(r)))
		case strings.ContainsRune("|{}\\", r): // of tables, of MDX and Liquid, of the backslashes below
			fmt.Fprintf(&out, "&#%d;", r)
		case strings.ContainsRune("*`[]~#$", r), r == '_' && (!word(runes, i-1) || !word(runes, i+1)):
			out.WriteString(`\` + string(r))
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

func word(runes []rune, i int) bool {
	return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
}

// entities is a text in HTML within Markdown, in which nothing has a meaning.
func entities(s string) string {
	var out strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf && unicode.IsPunct(r) || unicode.IsSymbol(r) && r < utf8.RuneSelf {
			switch r {
			case '.', ',', '-', '/', '"', '\'', '(', ')', '=', ';', '%', '@', '?':
				out.WriteRune(r)
			default:
				fmt.Fprintf(&out, "&#%d;", r)
			}
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// escapeURL is a URL in a link of Markdown, also in a table.
func escapeURL(url string) string {
	return strings.NewReplacer("|", "%7C", "(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", `\`, "%5C", "{", "%7B", "}", "%7D", "`", "%60", "*", "%2A", "[", "%5B", "]", "%5D").Replace(url)
}
