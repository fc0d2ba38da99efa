// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const (
	keyName = "key"
	keySize = 32
)

// Seal returns a code by which Sealed knows that data was written by crdctl, for this user, on this machine: what came with a
// repository or an archive has none that is right. The key is created in the user's configuration directory when it is first
// needed.
func Seal(data []byte) (string, error) {
	key, err := sealKey(true)
	if err != nil {
		return "", fmt.Errorf("key for crdctl's directories: %w; set HOME or XDG_CONFIG_HOME to a writable directory", err)
	}
	return hex.EncodeToString(code(key, data)), nil
}

// Sealed reports whether seal is the code of data. Without a key, no code is right.
func Sealed(data []byte, seal string) bool {
	key, err := sealKey(false)
	if err != nil {
		return false
	}
	have, err := hex.DecodeString(seal)
	return err == nil && hmac.Equal(have, code(key, data))
}

func code(key, data []byte) []byte {
	h := hmac.New(sha256.New, key)
	_, _ = h.Write(data) // a hash takes all
	return h.Sum(nil)
}

// sealKey reads the key, or creates it. Of two processes that create it at once, one wins.
func sealKey(create bool) ([]byte, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	dir, err := Below(base, create, "crdctl")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	for range maxRaces {
		key, err := dir.Read(keyName, keySize)
		switch {
		case err == nil && len(key) == keySize:
			return key, nil
		case err == nil:
			return nil, fmt.Errorf("%s is not a key of crdctl; remove it", dir.Join(keyName))
		case !errors.Is(err, fs.ErrNotExist) || !create:
			return nil, err
		}
		if err := dir.createKey(); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, dir.problem(keyName, errMoved)
}

// createKey gives the key its name when all of it is written.
func (d *Dir) createKey() (err error) {
	f, name, err := d.CreateTemp(TempPrefix(keyName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Remove(name)) }()
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // it never fails
	_, err = f.Write(key)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return d.root.Link(name, keyName)
}
