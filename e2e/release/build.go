// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

const module = "github.com/crdctl/crdctl"

// release is what is made, and where.
type release struct {
	version string // "" for the one that the go command makes of the commit
	out     string
	log     io.Writer // what was made, and what the go command prints
	date    time.Time // of the commit, and of all files in archives
	sums    []string
	staged  string // the directory of its files until all are made
}

// make makes all builds for all platforms.
func (r *release) make(ctx context.Context, platforms, builds []string) (err error) {
	if r.date, err = commitDate(ctx); err != nil {
		return err
	}
	if err := checkTags(ctx, ".", r.version); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	// In the directory itself, so that files can be renamed into it.
	temp, err := os.MkdirTemp(r.out, ".release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	r.staged = filepath.Join(temp, "files")
	if err := os.Mkdir(r.staged, 0o755); err != nil {
		return err
	}
	for _, build := range builds {
		manuals, err := r.manuals(ctx, temp, build)
		if err != nil {
			return fmt.Errorf("man pages and completions of the %s build: %w", build, err)
		}
		for _, platform := range platforms {
			if err := r.one(ctx, temp, platform, build, manuals); err != nil {
				return fmt.Errorf("%s build for %s: %w", build, platform, err)
			}
		}
	}
	return r.publish(ctx)
}

// sumsFile has the checksums of all other files.
const sumsFile = "SHA256SUMS"

// publish moves the files of a release that is complete to their directory, which until then has those of an earlier release. The checksums
// of that one go first and the new ones come last: at no time are there checksums of other files.
func (r *release) publish(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	slices.SortFunc(r.sums, func(a, b string) int { return strings.Compare(a[sha256.Size*2:], b[sha256.Size*2:]) })
	if err := os.Remove(filepath.Join(r.out, sumsFile)); err != nil && !os.IsNotExist(err) {
		return err
	}
	made, err := os.ReadDir(r.staged)
	if err != nil {
		return err
	}
	for _, f := range made {
		if err := os.Rename(filepath.Join(r.staged, f.Name()), filepath.Join(r.out, f.Name())); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(r.out, sumsFile), []byte(strings.Join(r.sums, "")), 0o644)
}

// one makes the archive and the bill of materials of one build for one platform.
func (r *release) one(ctx context.Context, temp, platform, build string, manuals []file) error {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return errors.New("a platform is GOOS/GOARCH, for example linux/amd64")
	}
	program := filepath.Join(temp, build+"-"+goos+"-"+goarch)
	if err := r.compile(ctx, program, goos, goarch, build); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	version := cmp.Or(r.version, info.Main.Version)
	name := archiveName(build, version, goos, goarch)
	readme := program + ".txt"
	if err := os.WriteFile(readme, []byte(readmeOf(version, build)), 0o600); err != nil {
		return err
	}
	files := []file{{from: program, name: "crdctl", mode: 0o755}, {from: "LICENSE", name: "LICENSE", mode: 0o644}, {from: readme, name: "README.txt", mode: 0o644}}
	files = append(files, manuals...)
	ext, pack := ".tar.gz", tarball
	if goos == "windows" {
		files[0].name, ext, pack = "crdctl.exe", ".zip", zipFile
	}
	content, err := pack(files, r.date)
	if err != nil {
		return err
	}
	bill, err := billOf(info, version, build)
	if err != nil {
		return err
	}
	raw, err := os.Stat(program)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(r.log, "%-52s %6.1f MB, program %6.1f MB\n", name+ext, float64(len(content))/1e6, float64(raw.Size())/1e6)
	return errors.Join(r.write(name+ext, content), r.write(name+".cdx.json", bill), os.Remove(program))
}

func archiveName(build, version, goos, goarch string) string {
	program := "crdctl"
	if build != "full" {
		program += "-" + build
	}
	return strings.Join([]string{program, version, goos, goarch}, "_")
}

// compile builds the program without cgo: one file that runs on every distribution, and the same wherever it is built.
func (r *release) compile(ctx context.Context, out, goos, goarch, build string, tags ...string) error {
	switch build {
	case "full":
	case "codegen", "loop":
		tags = append(tags, "crdctl_"+build)
	default:
		return errors.New("the builds are full, codegen and loop")
	}
	flags := "-s -w"
	if r.version != "" {
		flags += " -X " + module + "/cmd.version=" + r.version
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-tags", strings.Join(tags, ","), "-ldflags", flags, "-o", out, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	cmd.Stdout, cmd.Stderr = r.log, r.log
	return cmd.Run()
}

// write writes a file of the release, and remembers its sum.
func (r *release) write(name string, content []byte) error {
	r.sums = append(r.sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name))
	return os.WriteFile(filepath.Join(r.staged, name), content, 0o644)
}

// checkTags refuses a version that is not a tag of the commit, if the commit has tags of versions. Without git there are none.
func checkTags(ctx context.Context, dir, version string) error {
	cmd := exec.CommandContext(ctx, "git", "tag", "--points-at", "HEAD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if version == "" || err != nil {
		return nil //nolint:nilerr // not a checkout
	}
	tags := slices.DeleteFunc(strings.Fields(string(out)), func(tag string) bool { return !semver.IsValid(tag) })
	if len(tags) > 0 && !slices.Contains(tags, version) {
		return fmt.Errorf("-version %s: the commit is tagged %s; omit -version, or check out the tag", version, strings.Join(tags, ", "))
	}
	return nil
}

// commitDate is the date of the commit, or that of $SOURCE_DATE_EPOCH.
func commitDate(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("read the date of the commit: %w; set SOURCE_DATE_EPOCH outside of a checkout", err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}
