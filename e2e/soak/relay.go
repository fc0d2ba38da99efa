// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
)

const (
	// relayWord is the argument with which the program is a hook and not the soak. A URL of the soak follows.
	relayWord = "hook"
	// crash is the status with which the soak has the hook crash.
	crash = http.StatusTeapot
)

// relay is a hook's program: it passes on to the soak what it is asked, and prints what the soak answers.
func relay(url string, in io.Reader, out io.Writer) error {
	if os.Getenv("CRDCTL_HOOK_PERSISTENT") == "" {
		answer, err := post(url, in)
		if err == nil {
			_, err = out.Write(answer)
		}
		return err
	}
	for calls := json.NewDecoder(in); ; {
		var call struct {
			ID      uint64
			Request json.RawMessage
		}
		if err := calls.Decode(&call); errors.Is(err, io.EOF) {
			return nil // calls that hang are left behind: the process does not outlast its standard input
		} else if err != nil {
			return err
		}
		go func() {
			answer, err := post(url, bytes.NewReader(call.Request))
			reply := map[string]any{"id": call.ID, "response": json.RawMessage(answer)}
			if err != nil {
				reply = map[string]any{"id": call.ID, "error": err.Error()}
			}
			line, err := json.Marshal(reply)
			if err != nil {
				line = answer // rubbish is in no envelope
			}
			_, _ = out.Write(append(line, '\n')) // one at a time; crdctl may have ended
		}()
	}
}

func post(url string, request io.Reader) ([]byte, error) {
	response, err := http.Post(url, "application/json", request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // it has been read
	answer, err := io.ReadAll(response.Body)
	if response.StatusCode == crash {
		panic("the soak wanted a crash")
	}
	if response.StatusCode != http.StatusOK {
		err = errors.New(string(answer))
	}
	return answer, err
}
