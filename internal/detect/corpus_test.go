// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/evidence"
	"github.com/crdctl/crdctl/internal/git"
	"github.com/crdctl/crdctl/internal/tree"
)

// The archives in testdata/corpus have the shapes of real repositories, each with the settings that a person who knows the repository would
// write: "right" is a crdctl.yaml, "right/version" the version of code-generator, "right/notCompared" the files that are listed as not
// compared, "right/reason" a part of a reason for that, "right/unread" a part of a finding, or nothing where there is none, "right/deleted"
// the files that git has and the tree has not, and "right/nothing" a part of the error where crdctl has nothing to do. The text on top says
// after "known wrong:" why a verdict is not right, if it is not. "@client" and "@generated" stand for generated files, see generated.
func TestCorpus(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.txtar"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(archives), 20)
	right := 0
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		wrong := verdict(t, archive)
		_, reason, known := strings.Cut(string(archive.Comment), "known wrong:")
		switch {
		case wrong == "" && known:
			t.Errorf("%s is right now; take its \"known wrong\" out", file)
		case wrong != "" && !known:
			t.Errorf("%s: %s", file, wrong)
		case wrong != "":
			t.Logf("%s is known wrong:%s", file, strings.TrimRight(reason, "\n"))
		default:
			right++
		}
	}
	t.Logf("%d of %d right", right, len(archives))
}

// verdict compares what is found with what is right, and returns the difference.
func verdict(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	want := map[string]string{}
	var files []txtar.File
	for _, f := range archive.Files {
		switch {
		case f.Name == "right" || strings.HasPrefix(f.Name, "right/"):
			want[f.Name] = strings.TrimSpace(string(f.Data))
		case strings.HasPrefix(f.Name, "@"):
			files = append(files, generated(t, f)...)
		default:
			files = append(files, f)
		}
	}
	root := unpack(t, files)
	if deleted := strings.Fields(want["right/deleted"]); deleted != nil {
		deleteCommitted(t, root, deleted)
	}
	found, err := Project(root)
	if nothing, ok := want["right/nothing"]; ok {
		if err == nil {
			return "found " + found.Line()
		}
		if !strings.Contains(err.Error(), nothing) {
			return fmt.Sprintf("error %q, want %q", err, nothing)
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	if text, ok := want["right/unread"]; text == "" && ok && len(found.Unread) > 0 ||
		text != "" && !slices.ContainsFunc(found.Unread, func(u evidence.Finding) bool { return strings.Contains(u.String(), text) }) {
		return fmt.Sprintf("%q is not among %v", text, found.Unread)
	}
	var notCompared []string
	for _, n := range found.NotCompared {
		notCompared = append(notCompared, n.Paths...)
	}
	if text := want["right/reason"]; !slices.ContainsFunc(found.NotCompared, func(n tree.NotCompared) bool { return strings.Contains(n.Reason, text) }) && text != "" {
		return fmt.Sprintf("%q is not among %v", text, found.NotCompared)
	}
	if strings.Join(notCompared, "\n") != want["right/notCompared"] {
		return fmt.Sprintf("not compared: %v", notCompared)
	}
	if files, ok := want["right/inferred"]; ok {
		var inferred []string
		for _, c := range found.Project.ControllerGen.Calls {
			inferred = append(inferred, strings.TrimSpace("- "+c.Inferred))
		}
		if strings.Join(inferred, "\n") != files {
			return fmt.Sprintf("inferred: %v", inferred)
		}
	}
	right, err := config.Parse("right", []byte("apiVersion: "+config.APIVersion+"\nkind: "+config.Kind+"\n"+want["right"]+"\n"))
	require.NoError(t, err)
	if inferred(right, found.Project); !reflect.DeepEqual(found.Project, right) {
		return fmt.Sprintf("found\n%s\nright is\n%s", found.YAML(), want["right"])
	}
	if found.Version.Version != want["right/version"] {
		return fmt.Sprintf("version %q, right is %q", found.Version.Version, want["right/version"])
	}
	return ""
}

// deleteCommitted adds files to git's index that are not in the tree.
func deleteCommitted(t *testing.T, root string, files []string) {
	t.Helper()
	run := func(args ...string) {
		out, err := git.Command(t.Context(), root, args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	run("init", "-q")
	for _, file := range files {
		full := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte("x"), 0o644))
		run("add", "-f", file)
		require.NoError(t, os.Remove(full))
	}
}

// generated is what a line stands for: in "@generated" a file and the generator that made it, in "@client" a client tree, as
//
//	DIR IMPORTPATH MINOR HEADER PACKAGE:KIND... [watch] [single] [apply]
//
// where DIR is the tree's directory, IMPORTPATH that of the directory, and MINOR the version of code-generator that made it.
func generated(t *testing.T, f txtar.File) (files []txtar.File) {
	t.Helper()
	add := func(name, generator, header, body string) {
		text := fmt.Sprintf("%s// Code generated by %s. DO NOT EDIT.\n\npackage %s\n%s", header, generator, path.Base(path.Dir(name)), body)
		files = append(files, txtar.File{Name: name, Data: []byte(text)})
	}
	for line := range strings.Lines(string(f.Data)) {
		words := strings.Fields(line)
		if f.Name == "@generated" {
			add(words[0], words[1], strings.Join(words[2:], " ")+strings.Repeat("\n\n", min(1, len(words)-2)), "")
			continue
		}
		dir, self, header := words[0], words[1], "// "+words[3]+"\n\n"
		minor := 0
		_, err := fmt.Sscan(words[2], &minor)
		require.NoError(t, err)
		since := func(from int, text string) string {
			if minor < from {
				return ""
			}
			return "\n// " + text + "\n"
		}
		var imports, typed, schemes, accessors, resources, kinds string
		watch, apply := strings.Contains(line, " watch"), strings.Contains(line, " apply")
		informers := dir + "/informers"
		if !strings.Contains(line, " single") {
			informers += "/externalversions"
		}
		for _, word := range words[4:] {
			pkg, kind, ok := strings.Cut(word, ":")
			if !ok {
				continue
			}
			group, version, lower := path.Base(path.Dir(pkg)), path.Base(pkg), strings.ToLower(kind)
			alias, gv := group+version, group+"/"+version
			api := fmt.Sprintf("\nimport %s %q\n", alias, pkg)
			imports += api
			typed += fmt.Sprintf("\nimport %s %q\n", alias, self+"/clientset/versioned/typed/"+gv)
			accessors += fmt.Sprintf("\t%s() %s.%sInterface\n", alias, alias, alias)
			schemes += "\t" + alias + ".AddToScheme,\n"
			resources += alias + ".SchemeGroupVersion.WithResource(\"" + lower + "s\")\n"
			kinds += alias + ".SchemeGroupVersion.WithKind(\"" + kind + "\")\n"
			at := dir + "/clientset/versioned/typed/" + gv + "/"
			add(at+group+"_client.go", "client-gen", header, api)
			add(at+lower+".go", "client-gen", header, api+fmt.Sprintf("\ntype %ssGetter interface {\n\t%ss(namespace string) %sInterface\n}\n\ntype %sInterface interface {\n"+
				"\tGet(ctx context.Context)\n\tList(ctx context.Context)\n}\n", kind, kind, kind, kind))
			add(at+"fake/fake_"+lower+".go", "client-gen", header, since(32, "gentype"))
			if watch {
				add(dir+"/listers/"+gv+"/expansion_generated.go", "lister-gen", header, "")
				add(dir+"/listers/"+gv+"/"+lower+".go", "lister-gen", header, "\n// cache.Indexer\n"+since(31, "ResourceIndexer"))
				add(informers+"/"+gv+"/"+lower+".go", "informer-gen", header, fmt.Sprintf("\nimport %s %q\n", alias, self+"/listers/"+gv)+
					"\n// NewFilteredSharedIndexInformer\n"+since(33, "ListWithContextFunc")+since(35, "ToListWatcherWithWatchListSemantics"))
			}
		}
		at := dir + "/clientset/versioned/"
		add(at+"scheme/register.go", "client-gen", header, imports+"\nvar localSchemeBuilder = runtime.SchemeBuilder{\n"+schemes+"}\n")
		groups := "\n// Clientset contains the clients for groups."
		if minor < 27 {
			groups += " Each group has exactly one" + since(23, "NewForConfigAndClient")
		}
		add(at+"clientset.go", "client-gen", header, typed+groups+"\ntype Interface interface {\n"+accessors+"}\n")
		add(at+"fake/doc.go", "client-gen", header, "")
		if watch {
			add(informers+"/factory.go", "informer-gen", header, fmt.Sprintf("\nimport versioned %q\n", self+"/clientset/versioned")+since(36, "InformerName"))
			add(informers+"/generic.go", "informer-gen", header, imports+resources)
		}
		if apply {
			add(dir+"/applyconfiguration/utils.go", "applyconfiguration-gen", header, imports+kinds)
		}
	}
	return files
}
