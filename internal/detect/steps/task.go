// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
)

// task reads the commands of a Taskfile, each in the directory in which it runs.
func (r *run) task(t repo.Script, dir string) {
	rest := strings.SplitAfter(string(t.Data), "\n")
	first, end, all := taskDirs(t.Data, len(rest))
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
		r.lines(t.Path, strings.Join(lines, ""), path.Join(dir, own.dir))
	}
	r.lines(t.Path, strings.Join(rest, ""), dir)
}

// lines reads the commands of a file in which a line may be one.
func (r *run) lines(file, src, dir string) {
	read := shell.Read(shell.Lines, path.Join(shell.Root, file), src, path.Join(shell.Root, dir))
	r.commands(read.Commands, file, 0, nil)
}

// taskDir is a task that runs in a directory of its own: its lines, from 0 and up to, not including, to.
type taskDir struct {
	dir      string
	from, to int
}

// taskDirs are the tasks of a Taskfile with directories of their own, and the lines of all tasks, from 0 and up to, not including, end.
func taskDirs(data []byte, lines int) (first, end int, all []taskDir) {
	var file yaml.Node
	if yaml.Unmarshal(data, &file) != nil || len(file.Content) == 0 {
		return 0, 0, nil
	}
	at := func(mapping *yaml.Node, key, end int) (from, to int) {
		if key+2 < len(mapping.Content) {
			end = mapping.Content[key+2].Line - 1
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
		dir := strings.NewReplacer("{{.ROOT_DIR}}", ".", "{{.TASKFILE_DIR}}", ".").Replace(task.Dir)
		if !strings.Contains(dir, "{{") && !path.IsAbs(dir) {
			from, to := at(tasks, i, end)
			all = append(all, taskDir{dir, from, to})
		}
	}
	return first, end, all
}

// includedIn are the directories in which the commands of included Taskfiles run, by their paths: those of the files that include them, or below.
// Source: taskfile.dev/docs/guide/includes#directory-of-included-taskfile.
func (x *Reader) includedIn() map[string]string {
	dirs := map[string]string{}
	for _, t := range x.repo.Texts {
		var file struct{ Includes map[string]yaml.Node }
		if !t.Task() || !t.Mentions("includes:") || yaml.Unmarshal(t.Data, &file) != nil {
			continue
		}
		for _, node := range file.Includes {
			var include struct{ Taskfile, Dir string }
			if node.Decode(&include.Taskfile) != nil && node.Decode(&include) != nil {
				continue
			}
			at := path.Join(path.Dir(t.Path), include.Taskfile)
			for _, name := range []string{"", "Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"} {
				if _, ok := x.texts[path.Join(at, name)]; ok {
					dirs[path.Join(at, name)] = path.Join(path.Dir(t.Path), include.Dir)
					break
				}
			}
		}
	}
	return dirs
}
