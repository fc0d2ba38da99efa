// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// file is a file of an archive, and where it is read from.
type file struct {
	from, name string
	mode       fs.FileMode
}

// tarball packs files; the same content and date make the same bytes.
func tarball(files []file, date time.Time) ([]byte, error) {
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range files {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		header := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(content)), ModTime: date, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(content); err != nil {
			return nil, err
		}
	}
	err = errors.Join(archive.Close(), compressed.Close())
	return packed.Bytes(), err
}

// zipFile packs files for Windows; the same content and date make the same bytes.
func zipFile(files []file, date time.Time) ([]byte, error) {
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range files {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(f.mode)
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return packed.Bytes(), err
}
