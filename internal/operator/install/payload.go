package install

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mountPoint is where the pods find the files of hooks and templates.
const mountPoint = "/etc/crdctl"

// maxFolder is how much the files of a ConfigMap may be together. API servers refuse a little more than that, names and
// all the rest of the object included.
const maxFolder = 900 << 10

// cargo is what is decided with, packed to be taken along.
type cargo struct {
	objects []any // ConfigMaps
	folders []*folder
	flags   []string // of run, that name what is in them
	// customizes is what asks for related objects, or empty.
	customizes string
}

// folder is a ConfigMap whose files are in one folder of the pods.
type folder struct {
	name    string
	files   map[string]string // content by key
	origins map[string]string // the key of each file of the project
}

func newFolder(name string) *folder {
	return &folder{name: name, files: map[string]string{}, origins: map[string]string{}}
}

// path is where the pods find a file of the folder.
func (f *folder) path(key string) string { return path.Join(mountPoint, f.name, key) }

var notInKey = regexp.MustCompile(`[^-._a-zA-Z0-9]`)

// put takes a file of the project into the folder, once, and returns where it will be: under its own name, or where two have the
// same name under the path.
func (f *folder) put(file, content string) string {
	if key, ok := f.origins[file]; ok {
		return f.path(key)
	}
	key := notInKey.ReplaceAllString(path.Base(file), "_")
	for next := strings.TrimLeft(notInKey.ReplaceAllString(file, "_"), "."); ; next += "_" {
		if _, taken := f.files[key]; !taken {
			break
		}
		key = next
	}
	f.files[key], f.origins[file] = content, key
	return f.path(key)
}

// size is what the files are together.
func (f *folder) size() (n int) {
	for key, content := range f.files {
		n += len(key) + len(content)
	}
	return n
}

// add makes a ConfigMap of the folder, if there is anything in it.
func (c *cargo) add(o *Options, f *folder) error {
	if len(f.files) == 0 {
		return nil
	}
	if n := f.size(); n > maxFolder {
		return fmt.Errorf("the files of the %s are %d KiB, and a ConfigMap takes %d; put them into the image, and name them by their absolute path there", f.name, n>>10, maxFolder>>10)
	}
	c.folders = append(c.folders, f)
	c.objects = append(c.objects, &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: o.meta(o.Loop.Name + "-" + f.name), Data: f.files,
	})
	return nil
}

// hash tells whether the files are others than before: then the pods have to be, too. The loop would see that by itself, but
// each replica some other minute, when the kubelet gets to it.
func (c *cargo) hash() string {
	h := sha256.New()
	for _, f := range c.folders {
		for _, key := range slices.Sorted(maps.Keys(f.files)) {
			_, _ = fmt.Fprintf(h, "%q %q %q\n", f.name, key, f.files[key])
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
