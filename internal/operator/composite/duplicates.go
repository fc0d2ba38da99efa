package composite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// noDuplicates refuses an answer in which an object has a key twice: encoding/json would take the last value silently, and the children of
// the first would be removed. The answer is valid JSON.
func noDuplicates(said []byte) error {
	dec := json.NewDecoder(bytes.NewReader(said))
	dec.UseNumber()
	return noDuplicatesIn(dec, "")
}

func noDuplicatesIn(dec *json.Decoder, at string) error {
	token, err := dec.Token()
	if err != nil {
		return formError(err)
	}
	switch token {
	case json.Delim('{'):
		seen := map[string]bool{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return formError(err)
			}
			key, _ := name.(string)
			path := strings.TrimPrefix(at+"."+key, ".")
			if seen[key] {
				return fmt.Errorf("the answer has the key %s twice; give it one value", path)
			}
			seen[key] = true
			if err := noDuplicatesIn(dec, path); err != nil {
				return err
			}
		}
	case json.Delim('['):
		for i := 0; dec.More(); i++ {
			if err := noDuplicatesIn(dec, at+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	_, err = dec.Token() // the end
	return err
}
