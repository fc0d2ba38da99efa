// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/config"
)

// crontab are the flags of the README's project.
var crontab = []string{"--group", "stable.example.com", "--version", "v1beta1", "--kind", "CronTab", "--short-names", "ct",
	"--field", "cronSpec:string", "--field", "image:string", "--field", "replicas:int32"}

// BenchmarkTypeCheck measures what the type check adds to a first run with empty results, in a program that does what crdctl does
// and can leave the check out.
func BenchmarkTypeCheck(b *testing.B) {
	g := newGenerators(b)
	once := filepath.Join(g.dir, "once")
	goCommand(b, root, "build", "-o", once, "./e2e/bench/once")
	b.Run("made-by-crdctl-init", func(b *testing.B) {
		start := filepath.Join(b.TempDir(), "start")
		run(b, g.dir, environ(), append([]string{g.crdctl, "init", "-C", start, "--module", "example.com/made"}, crontab...)...)
		clean(b, start)
		check(b, os.RemoveAll(filepath.Join(start, "config/crd")))
		g.typeCheck(b, once, start)
	})
	for _, p := range projects {
		b.Run(p.name, func(b *testing.B) {
			start := filepath.Join(b.TempDir(), "start")
			startTree(b, p, g.download(b, p.module, p.version), start)
			check(b, os.WriteFile(filepath.Join(start, config.FileName), g.projectFile(p), 0o600))
			g.typeCheck(b, once, start)
		})
	}
}

func (g *generators) typeCheck(b *testing.B, once, start string) {
	b.Helper()
	dir, s, sides := b.TempDir(), samples{}, []string{"without", "with"}
	warm := caches{home: filepath.Join(dir, "home"), goCache: g.golang.GOCACHE, bin: g.bin}
	tree := filepath.Join(dir, "tree")
	one := func(side string) {
		check(b, os.RemoveAll(warm.home))
		copyTree(b, start, tree)
		s.took(side, run(b, tree, g.env(warm), once, side, tree))
	}
	one("with") // reads all files from the disk
	clear(s)
	for _, i := range rounds(b, len(sides)) {
		one(sides[i])
	}
	s.report(b)
	s.ratio(b, "with-sec", "without-sec", "ratio")
	s.ratio(b, "with-cpu-sec", "without-cpu-sec", "cpu-ratio")
}

// projectFile are the settings of a project, for a program without crdctl's flags.
func (g *generators) projectFile(p project) []byte {
	client := []string{"dir: " + p.clientDir}
	for flag, setting := range map[string]string{"--with-watch": "watch: true", "--with-applyconfig": "applyConfiguration: true", "--prefers-protobuf": "prefersProtobuf: true",
		"Endpoints:Endpoints": "pluralExceptions: {Endpoints: Endpoints}"} {
		if slices.Contains(p.flags, flag) {
			client = append(client, setting)
		}
	}
	return fmt.Appendf(nil, "apiVersion: crdctl.dev/v1alpha1\nkind: Project\nboilerplate: %s\ncodeGeneratorVersion: %s\napis: [%s]\nclients: [{%s}]\n",
		headerFile, g.codeGenerator, p.apiDir, strings.Join(client, ", "))
}
