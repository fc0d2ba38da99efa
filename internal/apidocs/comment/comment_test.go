// SPDX-License-Identifier: Apache-2.0

package comment

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestForms(t *testing.T) {
	for _, tc := range []struct{ name, text, cell, markdown, html string }{
		{"a line", "Schedule of the job.", "Schedule of the job.", "Schedule of the job.\n", "<p>Schedule of the job.</p>"},
		{"wrapped lines", "One\ntwo.\n\nThree.", "One two.<br/><br/>Three.", "One two.\n\nThree.\n", "<p>One two.</p><p>Three.</p>"},
		{"pipes", "a | b || c", "a &#124; b &#124;&#124; c", "a &#124; b &#124;&#124; c\n", "<p>a | b || c</p>"},
		{"code with a pipe", "use `a|b`", "use <code>a&#124;b</code>", "use <code>a&#124;b</code>\n", "<p>use <code>a|b</code></p>"},
		{"code", "use `a_b*`", "use `a_b*`", "use `a_b*`\n", "<p>use <code>a_b*</code></p>"},
		{"a backslash at the end of code", "use `C:\\`", "use `C:\\`", "use `C:\\`\n", "<p>use <code>C:\\</code></p>"},
		{"a list", "Values:\n- a\n- b\n  more\n\nAfter.", "Values:<ul><li>a</li><li>b more</li></ul>After.", "Values:\n\n- a\n- b more\n\nAfter.\n", "<p>Values:</p><ul><li>a</li><li>b more</li></ul><p>After.</p>"},
		{"a numbered list", "1. a\n2) b", "<ol><li>a</li><li>b</li></ol>", "1. a\n2. b\n", "<ol><li>a</li><li>b</li></ol>"},
		{"code block", "Like:\n\n    a: |\n      b\n\nEnd.", "Like:<br/><br/><code>a&#58; &#124;<br/>&nbsp;&nbsp;b</code><br/><br/>End.", "Like:\n\n```\na: |\n  b\n```\n\nEnd.\n", "<p>Like:</p><pre><code>a: |\n  b</code></pre><p>End.</p>"},
		{"a fence that is not closed", "```yaml\n| ``` x", "<code>&#124; &#96;&#96;&#96; x</code>", "````\n| ``` x\n````\n", "<pre><code>| ``` x</code></pre>"},
		{"HTML", "<script>x</script> & <b>", "&lt;script&gt;x&lt;/script&gt; &amp; &lt;b&gt;", "&lt;script&gt;x&lt;/script&gt; &amp; &lt;b&gt;\n", "<p>&lt;script&gt;x&lt;/script&gt; &amp; &lt;b&gt;</p>"},
		{"a pattern", `^[a-z]([-a-z]*)?$`, `^\[a-z\](\[-a-z\]\*)?\$`, `^\[a-z\](\[-a-z\]\*)?\$` + "\n", "<p>^[a-z]([-a-z]*)?$</p>"},
		{"braces", "{{ .Values }} {x}", "&#123;&#123; .Values &#125;&#125; &#123;x&#125;", "&#123;&#123; .Values &#125;&#125; &#123;x&#125;\n", "<p>{{ .Values }} {x}</p>"},
		{"names", "foo_bar _x_", `foo_bar \_x\_`, `foo_bar \_x\_` + "\n", "<p>foo_bar _x_</p>"},
		{"a link", "see [a](https://x.io/a_b) (https://y.io/c).", "see [a](https://x.io/a_b) ([https://y.io/c](https://y.io/c)).", "see [a](https://x.io/a_b) ([https://y.io/c](https://y.io/c)).\n",
			`<p>see <a href="https://x.io/a_b">a</a> (<a href="https://y.io/c">https://y.io/c</a>).</p>`},
		{"no link", "[a](javascript:x)", `\[a\](javascript:x)`, `\[a\](javascript:x)` + "\n", "<p>[a](javascript:x)</p>"},
		{"what starts a block", "# Title\n\n--- x\n\n100. b", `\# Title<br/><br/>--- x<br/><br/>100. b`, "\\# Title\n\n\\--- x\n\n100\\. b\n", "<p># Title</p><p>--- x</p><p>100. b</p>"},
		{"line ends and controls", "a\r\nb\rc\u2028d\x00\u202e", "a b c d", "a b c d\n", "<p>a b c d</p>"},
		{"nothing", "", "", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := Parse(tc.text)
			assert.Equal(t, tc.cell, text.Cell(), "cell")
			assert.Equal(t, tc.markdown, text.Markdown(), "Markdown")
			assert.Equal(t, tc.html, string(text.HTML()), "HTML")
		})
	}
}

var (
	tags  = regexp.MustCompile(`</?(?:ul|ol|li|code)>|<br/>`)
	spans = regexp.MustCompile("(\\\\[^\\w\\s])|`[^`]*`") // what is escaped is not the start of one
	links = regexp.MustCompile(`\]\(https?://[^()<>|\s]+\)`)
)

// A cell stays one cell, whatever a comment has: one line without pipes and without HTML but ours, in which no backtick is open.
func FuzzCell(f *testing.F) {
	for _, s := range []string{
		"a | b\n- c | d\n- `e|f`\n", "```\n| x |\n```", "`a\\|b`", "``a`b``", "\\", "\\|", "`\\", "<b>|</b>", "https://x.io/a|b", "[a|b](https://x.io/|)", "1. x\n\n    y", "{{ x }}", "-\t|", "`a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := Parse(s)
		for name, cell := range map[string]string{"cell": text.Cell(), "escape": Escape(s), "code": Code(s)} {
			if strings.ContainsAny(cell, "\n\r|") {
				t.Fatalf("%s of %q leaves the cell: %q", name, s, cell)
			}
			rest := links.ReplaceAllString(spans.ReplaceAllString(cell, ""), "]")
			if strings.Contains(rest, "`") {
				t.Fatalf("%s of %q has an open backtick: %q", name, s, cell)
			}
			if rest = tags.ReplaceAllString(rest, ""); strings.ContainsAny(rest, "<>{}") {
				t.Fatalf("%s of %q has HTML: %q", name, s, cell)
			}
		}
		if page := string(text.HTML()); strings.Count(page, "<") != strings.Count(page, ">") || strings.Contains(page, "<script") {
			t.Fatalf("HTML of %q: %q", s, page)
		}
		if plain := html.UnescapeString(Escape("x" + s + "x")); strings.Count(s, "|") > 0 && !strings.Contains(plain, "|") {
			t.Fatalf("Escape of %q lost something: %q", s, plain)
		}
	})
}
