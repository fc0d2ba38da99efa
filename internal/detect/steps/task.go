// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
)

// taskPlace is where the tasks of a Taskfile run: dir is for those without a directory of their own, and root is that of ROOT_DIR.
type taskPlace struct{ dir, root string }

// below is a directory that a Taskfile names, from the root of the repository; ok is false where it has another variable.
func (p taskPlace) below(file, written string) (dir string, ok bool) {
	base := p.dir
	if rest, found := strings.CutPrefix(written, "{{.ROOT_DIR}}"); found {
		base, written = p.root, "."+rest
	} else if rest, found := strings.CutPrefix(written, "{{.TASKFILE_DIR}}"); found {
		base, written = path.Dir(file), "."+rest
	}
	return path.Join(base, written), !strings.Contains(written, "{{") && !path.IsAbs(written)
}

// task reads the commands of a Taskfile in their order, each in the directory in which it runs.
func (x *run) task(t repo.Script, in taskPlace) {
	rest := unfolded(t.Data)
	first, end, all := taskDirs(t, len(rest), in)
	var commands []shell.Command
	read := func(lines []string, dir string) {
		// A variable of the file, since the directory of a task is another one.
		src := strings.Join(lines, "") + "\n  ROOT_DIR: " + path.Join(shell.Root, in.root)
		commands = append(commands, shell.Read(shell.Lines, path.Join(shell.Root, t.Path), src, path.Join(shell.Root, dir)).Commands...)
	}
	for _, own := range all {
		// The lines of the others stay empty, so that places are those of the file.
		lines := slices.Clone(rest)
		for i := first; i < end; i++ {
			if i < own.from || own.to <= i {
				lines[i] = "\n"
			} else {
				rest[i] = "\n"
			}
		}
		read(lines, own.dir)
	}
	read(rest, in.dir)
	// What sets ROOT_DIR is no command that is given the directory.
	commands = slices.DeleteFunc(commands, func(c shell.Command) bool { return len(c.Words) > 0 && c.Words[0] == "ROOT_DIR:" })
	slices.SortStableFunc(commands, func(a, b shell.Command) int { return a.Line - b.Line })
	x.commands(commands, t.Path, 0, nil)
}

// unfolded are the lines of a YAML file, with each text that YAML makes one of several lines in the first of them. The others are empty, so that places are
// those of the file.
func unfolded(data []byte) []string {
	lines := strings.SplitAfter(string(data), "\n")
	var file yaml.Node
	if yaml.Unmarshal(data, &file) != nil {
		return lines
	}
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		for _, below := range n.Content {
			visit(below)
		}
		words, first := strings.Fields(n.Value), n.Line-1
		folded := n.Style&yaml.FoldedStyle != 0
		if n.Kind != yaml.ScalarNode || !folded && n.Style != 0 || strings.Contains(strings.TrimSpace(n.Value), "\n") {
			return
		}
		last, before := first, n.Column-1
		if folded {
			first, last, before = first+1, first+1, 0
		}
		for at := first; len(words) > 0; at++ {
			if at >= len(lines) || before > len(lines[at]) {
				return
			}
			for _, word := range strings.Fields(lines[at][before:]) {
				if len(words) == 0 || word != words[0] {
					return // not as it stands there
				}
				words = words[1:]
			}
			last, before = at, 0
		}
		if last > first {
			indent := lines[first][:len(lines[first])-len(strings.TrimLeft(lines[first], " \t"))]
			if !folded {
				indent = lines[first][:n.Column-1]
			}
			lines[first] = indent + strings.TrimSpace(n.Value) + "\n"
			for at := first + 1; at <= last; at++ {
				lines[at] = "\n"
			}
		}
	}
	visit(&file)
	return lines
}

// lines reads the commands of a file in which a line may be one.
func (x *run) lines(file, src, dir string) {
	read := shell.Read(shell.Lines, path.Join(shell.Root, file), src, path.Join(shell.Root, dir))
	x.commands(read.Commands, file, 0, nil)
}

// taskDir is a task that runs in a directory of its own: its lines, from 0 and up to, not including, to.
type taskDir struct {
	dir      string
	from, to int
}

// taskDirs are the tasks of a Taskfile with directories of their own, and the lines of all tasks, from 0 and up to, not including, end.
func taskDirs(t repo.Script, lines int, in taskPlace) (first, end int, all []taskDir) {
	var file yaml.Node
	if yaml.Unmarshal(t.Data, &file) != nil || len(file.Content) == 0 {
		return 0, 0, nil
	}
	at := func(mapping *yaml.Node, key, end int) (from, to int) {
		if key+2 < len(mapping.Content) {
			end = min(mapping.Content[key+2].Line-1, end) // YAML has line breaks besides "\n"
		}
		return mapping.Content[key].Line - 1, end
	}
	top := file.Content[0]
	key := slices.IndexFunc(top.Content, func(n *yaml.Node) bool { return n.Value == "tasks" })
	if key < 0 || key+1 >= len(top.Content) {
		return 0, 0, nil
	}
	first, end = at(top, key, lines)
	tasks := top.Content[key+1]
	for i := 0; i+1 < len(tasks.Content); i += 2 {
		var task struct{ Dir string }
		if tasks.Content[i+1].Decode(&task) != nil || task.Dir == "" {
			continue
		}
		if dir, ok := in.below(t.Path, task.Dir); ok {
			from, to := at(tasks, i, end)
			all = append(all, taskDir{dir, from, to})
		}
	}
	return first, end, all
}

// includedIn are the places in which the tasks of included Taskfiles run, by the paths of these: the directories of the files that include them, or
// below. Source: taskfile.dev/docs/guide/includes#directory-of-included-taskfile.
func (x *Reader) includedIn() map[string][]taskPlace {
	places := map[string][]taskPlace{}
	for _, t := range x.repo.Texts {
		var file struct{ Includes map[string]yaml.Node }
		if !t.Task() || !t.Mentions("includes:") || yaml.Unmarshal(t.Data, &file) != nil {
			continue
		}
		for _, namespace := range slices.Sorted(maps.Keys(file.Includes)) {
			node := file.Includes[namespace]
			var include struct{ Taskfile, Dir string }
			if node.Decode(&include.Taskfile) != nil && node.Decode(&include) != nil {
				continue
			}
			root := path.Dir(t.Path)
			at, place := path.Join(root, include.Taskfile), taskPlace{root, root}
			if dir, ok := place.below(t.Path, include.Dir); ok {
				place.dir = dir
			}
			for _, name := range []string{"", "Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"} {
				if file := path.Join(at, name); x.texts[file] != "" {
					if !slices.Contains(places[file], place) {
						places[file] = append(places[file], place)
					}
					break
				}
			}
		}
	}
	return places
}
