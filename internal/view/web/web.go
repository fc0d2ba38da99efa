// SPDX-License-Identifier: Apache-2.0

// Package web has the files of the page that shows a recording: modules of JavaScript that browsers load as they are,
// a style sheet, and two libraries. It has no logic in Go; package server serves it.
package web

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:generate go run ./fetch third_party

// third_party is not called vendor: modules are published without what is in such directories.
//
//go:embed static third_party
var files embed.FS

// A File is a file of the page.
type File struct {
	Type    string // media type
	Content []byte
}

// types are the media types of the files that are served. The system's table is not asked: it can be wrong.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Files returns the page's files by their path in the URL: "/", what is in static, and the libraries below /lib/.
func Files() map[string]File {
	all := map[string]File{}
	_ = fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, _ error) error { // what is embedded can be read
		kind, ok := types[path.Ext(name)]
		if !ok {
			return nil
		}
		content, _ := files.ReadFile(name)
		url := strings.Replace("/"+name, "/third_party/", "/lib/", 1)
		url = strings.TrimPrefix(url, "/static")
		if url == "/index.html" {
			url = "/"
		}
		all[url] = File{Type: kind, Content: content}
		return nil
	})
	return all
}
