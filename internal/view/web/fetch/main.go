// SPDX-License-Identifier: Apache-2.0

// Fetch restores the libraries of the page from the npm registry, as vendor.sum in a directory has them. It needs npm.
// To update one, write its new version and integrity ("npm view NAME@VERSION dist.integrity") into vendor.sum first.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	err := errors.New("usage: fetch DIRECTORY")
	if len(os.Args) == 2 {
		err = fetch(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
}

// fetch replaces the files, and writes their hashes.
func fetch(dir string) error {
	sum, err := os.ReadFile(filepath.Join(dir, "vendor.sum"))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	files := map[string][]byte{}
	for line := range strings.Lines(string(sum)) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		if library, _, ok := strings.Cut(name, "@"); ok {
			if files, err = pack(name, library, hash); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Fprintln(&out, name, hash)
			continue
		}
		content, ok := files[name]
		if !ok {
			return fmt.Errorf("%s: not in the package", name)
		}
		is := sha256.Sum256(content)
		fmt.Fprintf(&out, "%s sha256-%s\n", name, base64.StdEncoding.EncodeToString(is[:]))
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "vendor.sum"), out.Bytes(), 0o644)
}

// pack returns the files of a package by LIBRARY/FILE, where files in dist are without that directory.
func pack(name, library, integrity string) (files map[string][]byte, err error) {
	temp, err := os.MkdirTemp("", "crdctl-npm-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	npm := exec.Command("npm", "pack", "--silent", "--pack-destination", temp, name)
	npm.Dir = temp
	if out, err := npm.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w: %s", err, out)
	}
	packed, err := filepath.Glob(filepath.Join(temp, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return nil, fmt.Errorf("npm pack wrote %v", packed)
	}
	content, err := os.ReadFile(packed[0])
	if err != nil {
		return nil, err
	}
	if is := sha512.Sum512(content); integrity != "sha512-"+base64.StdEncoding.EncodeToString(is[:]) {
		return nil, errors.New("the integrity is not that of vendor.sum")
	}
	zip, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	files = map[string][]byte{}
	for archive := tar.NewReader(zip); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		in := strings.TrimPrefix(strings.TrimPrefix(h.Name, "package/"), "dist/")
		if files[library+"/"+in], err = io.ReadAll(archive); err != nil {
			return nil, err
		}
	}
}
