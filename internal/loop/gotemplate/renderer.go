package gotemplate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"text/template"
)

const (
	maxOutput = 8 << 20 // bytes of one rendering, all files together
	maxDepth  = 100     // of templates within templates
)

// renderer renders one request at a time. The functions of its copy of the templates know it.
type renderer struct {
	templates *template.Template
	ctx       context.Context
	left      int // bytes that may still come out
	depth     int
}

func newRenderer(root *template.Template) *renderer {
	r := &renderer{}
	// Clone fails for html/template only, and there only after a rendering.
	r.templates = template.Must(root.Clone()).Funcs(r.functions())
	return r
}

func (r *renderer) functions() template.FuncMap {
	return template.FuncMap{
		"include": r.include,
		fnPrint:   printed,
		fnTick:    func() (string, error) { return "", r.tick() },
		fnEnter:   r.enter,
		fnLeave:   func() string { r.depth--; return "" },
	}
}

// render renders one file.
func (r *renderer) render(name string, data any) ([]byte, error) {
	r.depth = 0
	out := &output{renderer: r}
	err := r.templates.ExecuteTemplate(out, name, data)
	return out.Bytes(), err
}

// include is Helm's: a template as text, for nindent and the like.
func (r *renderer) include(name string, data any) (string, error) {
	out := &output{renderer: r}
	err := r.templates.ExecuteTemplate(out, name, data)
	return out.String(), err
}

func (r *renderer) tick() error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return nil
}

func (r *renderer) enter() (string, error) {
	if r.depth++; r.depth > maxDepth {
		return "", fmt.Errorf("templates call each other more than %d deep; see that they come to an end", maxDepth)
	}
	return "", r.tick()
}

// output takes what is rendered, up to the limit or the end of the context.
type output struct {
	bytes.Buffer
	renderer *renderer
}

var errOutput = errors.New("more than 8 MiB come out; render less")

func (o *output) Write(b []byte) (int, error) {
	if err := o.renderer.tick(); err != nil {
		return 0, err
	}
	if o.renderer.left -= len(b); o.renderer.left < 0 {
		return 0, errOutput
	}
	return o.Buffer.Write(b)
}
