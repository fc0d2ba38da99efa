// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Path is where an API server with a recorder serves what it records, one line a record, for as long as the connection
// is open. Its query has "after", a number as for Records, and "follow": false ends with what there is. The API server's
// own authorization guards it.
const Path = "/crdctl/trace"

// nowHeader has the clock of the recorder when it answers.
const nowHeader = "Crdctl-Trace-Now"

// Handler serves a source at Path.
func Handler(s Source) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		after, err := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
		switch {
		case r.Method != http.MethodGet:
			http.Error(w, "GET only", http.StatusMethodNotAllowed)
			return
		case err != nil && r.URL.Query().Has("after"):
			http.Error(w, "after must be a number", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		if clock, ok := s.(Sink); ok {
			w.Header().Set(nowHeader, strconv.FormatInt(clock.Now(), 10))
		}
		if err := serve(r.Context(), w, s, after, r.URL.Query().Get("follow") != "false"); err != nil {
			panic(http.ErrAbortHandler) // so that the client does not see an end
		}
	})
}

// idle is for sources that can tell that nothing more is there for now.
type idle interface {
	// held yields what Records does, and ends when nothing more is there; or, when follow is true, calls wait first.
	held(ctx context.Context, after int64, follow bool, wait func()) iter.Seq2[Record, error]
}

func serve(ctx context.Context, w http.ResponseWriter, s Source, after int64, follow bool) error {
	out := bufio.NewWriterSize(w, 64<<10)
	flush := func() {
		_ = out.Flush() // its error is that of the next write
		_ = http.NewResponseController(w).Flush()
	}
	records := s.Records(ctx, after)
	if live, ok := s.(idle); ok {
		records = live.held(ctx, after, follow, flush)
	}
	var line []byte
	for rec, err := range records {
		if err != nil {
			return err
		}
		if line, err = rec.AppendJSON(line[:0]); err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Remote is the recording of an API server in another process.
type Remote struct {
	Client *http.Client
	URL    string // of the API server
	Follow bool   // wait for more

	// Now is called with the recorder's clock, before the first record; nil is for those who do not need it.
	Now func(now int64)
}

var _ Source = Remote{}

// ErrNotRecorded is the error of an API server that records nothing.
var ErrNotRecorded = errors.New("the control plane records nothing")

// Live implements Source.
func (r Remote) Live() bool { return r.Follow }

// Records implements Source. It is an error when the API server ends while Follow is true.
func (r Remote) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := r.read(ctx, after, yield); err != nil && ctx.Err() == nil {
			yield(Record{}, err)
		}
	}
}

func (r Remote) read(ctx context.Context, after int64, yield func(Record, error) bool) error {
	query := url.Values{"after": {strconv.FormatInt(after, 10)}, "follow": {strconv.FormatBool(r.Follow)}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL+Path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := r.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return ErrNotRecorded
	default:
		return fmt.Errorf("get the recording of %s: %s", r.URL, response.Status)
	}
	if r.Now != nil {
		now, err := strconv.ParseInt(response.Header.Get(nowHeader), 10, 64)
		if err != nil {
			return fmt.Errorf("get the recording of %s: %s: %w; the control plane may be of another version of crdctl", r.URL, nowHeader, err)
		}
		r.Now(now)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(make([]byte, 0, 64<<10), maxMember)
	for lines.Scan() {
		rec, err := Parse(slices.Clone(bytes.TrimSpace(lines.Bytes())))
		if err != nil {
			return fmt.Errorf("get the recording of %s: %w", r.URL, err)
		}
		if !yield(rec, nil) {
			return nil
		}
	}
	err = lines.Err()
	if err == nil && r.Follow {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("get the recording of %s: %w", r.URL, err)
	}
	return nil
}
