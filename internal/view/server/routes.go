// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// routes are the data endpoints. Each but the stream and what is saved answers one JSON object.
func (s *session) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(dataPath+"stream", s.stream)
	mux.HandleFunc(dataPath+"save", s.save)
	for name, answer := range s.answers() {
		mux.HandleFunc(dataPath+name, func(w http.ResponseWriter, r *http.Request) {
			body, err := s.locked(answer, newQuery(r.URL.Query()))
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})
	}
	return mux
}

// answers are the endpoints that answer a question once.
func (s *session) answers() map[string]func(query) any {
	return map[string]func(query) any{
		"requests": s.requests,
		"watches":  s.watches,
		"log":      s.log,
		"why":      s.why,
		"tree":     s.tree,
		"object":   s.object,
		"versions": s.versions,
		"flow":     s.flow,
		"flowrows": s.flowRows,
		"time":     s.time,
		"rights":   s.rights,
	}
}

// locked gets an answer as JSON. One that panics leaves the session to others. It is made into JSON when others have the
// session again: answers have no part of it that changes.
func (s *session) locked(answer func(query) any, q query) ([]byte, error) {
	return json.Marshal(func() any {
		s.mu.Lock()
		defer s.mu.Unlock()
		return answer(q)
	}())
}

// query has the parameters of a question.
type query struct {
	url.Values

	from, to int64    // T; 0 is open
	held     int64    // Seq of the newest record when the client began to look at rows, so that these stay where they are; 0 for all
	text     []string // the words of a search, all of which must be in what is found
}

func newQuery(v url.Values) query {
	q := query{Values: v, text: strings.Fields(strings.ToLower(v.Get("q")))}
	q.from, q.to, q.held = q.number("from"), q.number("to"), q.number("cap")
	return q
}

// filter is the question without the range of rows.
func (q query) filter(name string) string {
	rest := maps.Clone(q.Values)
	for _, of := range []string{"offset", "limit", "cap"} {
		delete(rest, of)
	}
	return name + "?" + rest.Encode()
}

// number returns a parameter, or 0.
func (q query) number(name string) int64 {
	n, _ := strconv.ParseInt(q.Get(name), 10, 64) // a number that is wrong is one that is missing
	return n
}

func (q query) is(name string) bool { return q.Get(name) == "true" }

// inTime reports whether a time is in the range that was selected.
func (q query) inTime(t int64) bool { return t >= q.from && (q.to == 0 || t <= q.to) }

// isHeld reports whether a record was there when the client began to look at rows.
func (q query) isHeld(seq int64) bool { return q.held == 0 || seq <= q.held }

func hasWords(words []string, text ...string) bool {
	if len(words) == 0 {
		return true
	}
	all := strings.ToLower(strings.Join(text, " "))
	for _, w := range words {
		if not, ok := strings.CutPrefix(w, "-"); ok && not != "" {
			if strings.Contains(all, not) {
				return false
			}
		} else if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

// rows is the answer to a question for rows: those of a range, and how many there are.
type rows[T any] struct {
	Total int   `json:"total"`
	First int   `json:"first"` // the number of Rows[0], from 0
	Rows  []T   `json:"rows"`
	Seq   int64 `json:"seq"` // the newest record when this was answered
}

// maxRows bounds the rows of an answer.
const maxRows = 500

// page returns the rows of the range that was asked for. all has the oldest first; rows are counted from the newest.
func page[A, T any](s *session, q query, all []A, row func(A) T) rows[T] {
	offset := min(max(int(q.number("offset")), 0), len(all))
	limit := min(int(q.number("limit")), maxRows)
	if limit <= 0 {
		limit = 100
	}
	out := rows[T]{Total: len(all), First: offset, Rows: []T{}, Seq: s.last}
	for i := offset; i < min(offset+limit, len(all)); i++ {
		out.Rows = append(out.Rows, row(all[len(all)-1-i]))
	}
	return out
}
