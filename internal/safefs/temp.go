// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// TempPrefix begins the names of the files that Write makes on the way to a file.
func TempPrefix(name string) string { return "." + strings.TrimPrefix(name, ".") + "-" }

// CreateTemp creates a file of mode 0600 whose name begins with prefix.
func (d *Dir) CreateTemp(prefix string) (f *os.File, name string, err error) {
	for range maxRaces {
		name = prefix + strings.ToLower(rand.Text())
		f, err = d.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
	return nil, "", err
}

// MakeTemp creates a directory of mode 0700 whose name begins with prefix.
func (d *Dir) MakeTemp(prefix string) (*Dir, error) {
	for range maxRaces {
		name := prefix + strings.ToLower(rand.Text())[:10]
		if err := d.root.Mkdir(name, 0o700); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return nil, d.problem(name, err)
		}
		return d.Sub(name)
	}
	return nil, d.problem(prefix, fs.ErrExist)
}

// Touch sets the time of a file to now, as far as that is allowed.
func (d *Dir) Touch(name string) {
	now := time.Now()
	if single(name) == nil {
		_ = d.root.Chtimes(name, now, now) // a cache that cannot be written is still good to read
	}
}

// Cache opens a directory below that of crdctl in the user's cache directory. Unless create is set, one that does not exist is
// an error. Its owner must be this user, or another one of Trusted.
func Cache(create bool, names ...string) (*Dir, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return Below(base, create, append([]string{"crdctl"}, names...)...)
}

// Below opens a directory some levels below an anchor, for the owners of Trusted.
func Below(anchor string, create bool, names ...string) (*Dir, error) {
	if create {
		if err := os.MkdirAll(anchor, 0o700); err != nil {
			return nil, err
		}
	}
	d, err := Anchor(anchor, Trusted())
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		open := d.Sub
		if create {
			open = d.Make
		}
		next, err := open(name)
		_ = d.Close() // it was only read
		if err != nil {
			return nil, err
		}
		d = next
	}
	return d, nil
}
