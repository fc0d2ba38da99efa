// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// line is what could be read of a line of a log. Of a line in no known format it is the message.
type line struct {
	level, message string
	at             time.Time // when it was printed; zero if the line does not have that, or only in seconds
	attrs          map[string]any
	order          []string // names of attrs, as they were read; of text only
}

// readLine reads a line as zap writes it, as JSON or for people, as klog and as slog do.
func readLine(text string) line {
	for _, read := range []func(string) (line, bool){readJSON, readConsole, readKlog, readPairs} {
		if l, ok := read(text); ok {
			return l
		}
	}
	return line{message: text}
}

// levels are the names of levels, without those of zap for debugging, which are numbers.
var levels = map[string]string{
	"debug": "debug", "trace": "debug", "info": "info", "warn": "warning", "warning": "warning",
	"error": "error", "dpanic": "error", "panic": "error", "fatal": "error",
}

// levelOf returns "" for what is the name of no level.
func levelOf(name string) string {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "level(-") || strings.HasPrefix(name, "debug-") || strings.HasPrefix(name, "debug+") {
		return "debug"
	}
	return levels[name]
}

func readJSON(text string) (l line, ok bool) {
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &l.attrs) != nil {
		return line{}, false
	}
	for _, name := range []string{"msg", "message"} {
		if l.message, ok = l.attrs[name].(string); ok {
			delete(l.attrs, name)
			break
		}
	}
	if !ok {
		return line{}, false
	}
	name, _ := l.attrs["level"].(string)
	_, isError := l.attrs["err"]
	_, verbose := l.attrs["v"]
	switch l.level = levelOf(name); {
	case l.level != "":
		delete(l.attrs, "level")
	case isError: // as component-base has klog write
		l.level = "error"
	case verbose:
		l.level = "info"
	}
	for _, name := range []string{"ts", "time", "timestamp"} {
		if at := timeOf(l.attrs[name]); !at.IsZero() {
			l.at = at
		}
		delete(l.attrs, name)
	}
	return l, true
}

// timeOf reads a time as RFC 3339 and ISO 8601 have it, or as seconds, milliseconds or nanoseconds since 1970. Whole seconds are no help
// to put a line into the order of requests: they give the zero time.
func timeOf(v any) (at time.Time) {
	switch v := v.(type) {
	case string:
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700"} {
			if t, err := time.Parse(layout, v); err == nil {
				at = t
			}
		}
	case float64:
		switch {
		case v > 1e17:
			at = time.Unix(0, int64(v))
		case v > 1e11:
			at = time.UnixMicro(int64(v * 1e3))
		case v > 1e8:
			at = time.UnixMicro(int64(v * 1e6))
		}
	}
	if at.Nanosecond() == 0 {
		return time.Time{}
	}
	return at
}

var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// readConsole reads zap's lines for people: TIME, LEVEL, LOGGER, CALLER, MESSAGE and the rest as JSON, between tabs. Logger, caller and
// JSON may be missing.
func readConsole(text string) (l line, ok bool) {
	parts := strings.Split(text, "\t")
	if len(parts) < 3 {
		return line{}, false
	}
	if l.level = levelOf(colors.ReplaceAllString(parts[1], "")); l.level == "" {
		return line{}, false
	}
	if last := parts[len(parts)-1]; strings.HasPrefix(last, "{") && json.Unmarshal([]byte(last), &l.attrs) == nil {
		parts = parts[:len(parts)-1]
	}
	if len(parts) < 3 {
		return line{}, false
	}
	l.at, l.message = timeOf(parts[0]), parts[len(parts)-1]
	return l, true
}

var klogHeader = regexp.MustCompile(`^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^\s\]]+:\d+\] `)

var klogLevels = map[string]string{"I": "info", "W": "warning", "E": "error", "F": "error"}

// readKlog reads a line of klog, structured or not.
func readKlog(text string) (l line, ok bool) {
	found := klogHeader.FindStringSubmatch(text)
	if found == nil {
		return line{}, false
	}
	l.level, l.message = klogLevels[found[1]], text[len(found[0]):]
	quoted, err := strconv.QuotedPrefix(l.message)
	if err != nil || !strings.HasPrefix(quoted, `"`) {
		return l, true
	}
	rest := l.message[len(quoted):]
	if message, err := strconv.Unquote(quoted); err == nil {
		l.message = message
		l.attrs, l.order = pairs(rest)
	}
	return l, true
}

// readPairs reads a line of slog's text handler.
func readPairs(text string) (l line, ok bool) {
	if !strings.HasPrefix(text, "time=") && !strings.HasPrefix(text, "level=") {
		return line{}, false
	}
	l.attrs, l.order = pairs(text)
	name, _ := l.attrs["level"].(string)
	message, ok := l.attrs["msg"].(string)
	if l.level, l.message = levelOf(name), message; !ok || l.level == "" {
		return line{}, false
	}
	for _, name := range []string{"time", "level", "msg"} {
		delete(l.attrs, name)
	}
	return l, true
}

// pairs reads NAME=VALUE pairs, with values that are quoted, JSON, or without spaces. It ends where there is none.
func pairs(text string) (all map[string]any, order []string) {
	all = map[string]any{}
	for {
		text = strings.TrimLeft(text, " ")
		name, rest, ok := strings.Cut(text, "=")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return all, order
		}
		name = unquoted(name)
		all[name], text = value(rest)
		order = append(order, name)
	}
}

func unquoted(text string) string {
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	return text
}

// value reads a value, and returns what is behind it.
func value(text string) (v any, rest string) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil && strings.HasPrefix(quoted, `"`) {
		return unquoted(quoted), text[len(quoted):]
	}
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		decoder := json.NewDecoder(strings.NewReader(text))
		if decoder.Decode(&v) == nil {
			return v, text[decoder.InputOffset():]
		}
	}
	word, _, _ := strings.Cut(text, " ")
	return word, text[len(word):]
}

// key is the object that a line is about, as work queues name it; "" where none is named.
func (l line) key() string {
	if name, ok := l.attrs["name"].(string); ok && l.text("controller") != "" {
		return join(l.text("namespace"), name)
	}
	for _, attr := range []string{"key", "objectName", "objectReference", "objectRef"} {
		switch v := l.attrs[attr].(type) {
		case string:
			return v
		case map[string]any:
			if name, ok := v["name"].(string); ok {
				namespace, _ := v["namespace"].(string)
				return join(namespace, name)
			}
		}
	}
	return ""
}

// byKind is the object that a line is about where it is named by its kind, as crontab="default/x". Of several, the first is that of the
// logger, which is what is worked on. isKind reports whether a name in lower case is that of a kind.
func (l line) byKind(isKind func(string) bool) string {
	for _, attr := range l.order {
		if v := l.text(attr); objectName.MatchString(v) && isKind(strings.ToLower(attr)) {
			return v
		}
	}
	return ""
}

// objectName is the name of an object, with its namespace if it has one.
var objectName = regexp.MustCompile(`^([a-z0-9-]+/)?[a-z0-9][a-z0-9.-]*$`)

// kind is that of the object that the key of a controller-runtime line names, as KIND.GROUP.
func (l line) kind() string {
	if group := l.text("controllerGroup"); group != "" {
		return l.text("controllerKind") + "." + group
	}
	return l.text("controllerKind")
}

func join(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// text returns the value of an attribute, or "" if it is not a string.
func (l line) text(attr string) string {
	v, _ := l.attrs[attr].(string)
	return v
}

// record is the line as a record.
func (l line) record(isKind func(string) bool) *trace.Log {
	r := &trace.Log{Level: l.level, Message: l.message, Attrs: l.attrs, Key: cmp.Or(l.key(), l.byKind(isKind)), Reconcile: l.text("reconcileID")}
	if r.Reconcile != "" {
		r.Certainty = trace.Certain
	}
	return r
}
