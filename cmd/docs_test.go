package cmd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// workflow is what is read of a workflow of GitHub Actions, and of the settings of pre-commit.
type workflow struct {
	Env  map[string]string
	Jobs map[string]struct {
		Steps []struct{ Name, Uses, Run string }
	}
	Repos []struct {
		Repo  string
		Hooks []struct {
			Entry, Language string
			PassFilenames   *bool `yaml:"pass_filenames"`
		}
	}
}

var codeBlock = regexp.MustCompile("(?ms)^```(yaml|sh)\n(.*?)^```$")

// blocks returns what docs/ci.md says: the YAML documents, and the hook.
func blocks(t *testing.T) (documents []workflow, hook string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "ci.md"))
	require.NoError(t, err)
	for _, m := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		if m[1] == "sh" {
			hook = m[2]
			continue
		}
		var w workflow
		require.NoError(t, yaml.Unmarshal([]byte(m[2]), &w), m[2])
		documents = append(documents, w)
	}
	require.Len(t, documents, 4, "in docs/ci.md")
	require.NotEmpty(t, hook, "in docs/ci.md")
	return documents, hook
}

// checkout is a scaffolded project in a git repository. The test binary is crdctl, and in PATH.
type checkout struct {
	*testing.T
	dir string
	env []string
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	c := &checkout{T: t, dir: t.TempDir(), env: append(os.Environ(),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "RUNNER_TEMP="+t.TempDir())}
	c.env = append(c.env, "GITHUB_OUTPUT="+filepath.Join(t.TempDir(), "output"))
	c.sh(0, `crdctl init --group stable.example.com --kind CronTab --field image:string && git init -q && git add . && git commit -q -m one`)
	return c
}

// sh runs commands as GitHub's runner does where no shell is named, and holds the exit code.
func (c *checkout) sh(code int, script string, env ...string) string {
	c.Helper()
	cmd := exec.CommandContext(c.Context(), "sh", "-e", "-c", script)
	cmd.Dir, cmd.Env = c.dir, append(c.env, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.Fatal(err)
	}
	require.Equal(c, code, cmd.ProcessState.ExitCode(), "exit code: %s\n%s", script, out)
	return string(out)
}

// change makes generated files stale.
func (c *checkout) change() {
	c.Helper()
	c.sh(0, `sed -i.orig 's/^type CronTabSpec struct {/&\n\tCommand []string `+"`json:\"command,omitempty\"`"+`\n/' pkg/apis/stable/v1alpha1/types.go
		rm pkg/apis/stable/v1alpha1/types.go.orig; grep -q Command pkg/apis/stable/v1alpha1/types.go`)
}

// The workflows of docs/ci.md, their steps run as they are written: fresh, they pass; stale, the last one fails and says
// where.
func TestWorkflows(t *testing.T) {
	documents, _ := blocks(t)
	c := newCheckout(t)
	said := []string{"::error file=pkg/apis/stable/v1alpha1/zz_generated.deepcopy.go,line=", "::error title=crdctl verify::4 generated files", "stale"}
	for round, code := range []int{0, 1} {
		if round == 1 {
			c.change()
		}
		for i, w := range documents[:3] {
			steps := w.Jobs["verify"].Steps
			if len(steps) < 4 || !strings.HasPrefix(steps[0].Uses, "actions/checkout@") || !strings.HasPrefix(steps[1].Uses, "actions/setup-go@") {
				t.Fatalf("workflow %d: steps %+v", i, steps)
			}
			ran := 0
			for _, s := range steps {
				if s.Run == "" {
					continue
				}
				if s.Name == "Install crdctl" {
					// crdctl is in PATH, and no release of it is to be built here.
					assert.True(t, regexp.MustCompile(`^go install "?github.com/crdctl/crdctl@`).MatchString(s.Run), "workflow %d installs with %q", i, s.Run)
					continue
				}
				ran++
				out := c.sh(code, s.Run)
				if i < 2 && round == 1 && (!strings.Contains(out, said[0]) || !strings.Contains(out, said[1])) {
					t.Errorf("workflow %d does not say what is stale:\n%s", i, out)
				}
			}
			assert.Equal(t, 1, ran, "workflow %d: %d steps run", i, ran)
		}
		if got := c.sh(0, `grep -c '"ruleId": "stale"' "$RUNNER_TEMP/crdctl.sarif" || true; tail -n 1 "$GITHUB_OUTPUT"`); got != []string{"0\ncode=0\n", "4\ncode=1\n"}[round] {
			t.Errorf("the SARIF workflow leaves %q", got)
		}
	}
	assert.Equal(t, " M pkg/apis/stable/v1alpha1/types.go\n", c.sh(0, "git status --porcelain"), "a workflow changed the checkout")
}

// The hooks of docs/ci.md: a commit is refused while what it holds is not up to date, whatever lies beside it.
func TestHooks(t *testing.T) {
	documents, hook := blocks(t)
	c := newCheckout(t)
	local := documents[3].Repos[0]
	if h := local.Hooks[0]; local.Repo != "local" || h.Language != "system" || h.PassFilenames == nil || *h.PassFilenames {
		t.Errorf("pre-commit: %+v", local)
	}
	entry := local.Hooks[0].Entry
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, ".git", "hooks", "pre-commit"), []byte(hook), 0o755))
	c.sh(0, entry)
	c.sh(0, "git commit -q --allow-empty -m fresh")
	c.change()
	c.sh(1, entry)
	assert.Contains(t, c.sh(1, "git commit -q -a -m stale"), `4 generated files are not up to date; run "crdctl generate"`, "the hook")
	// Generated, and not added: the work tree is fresh, the commit is not.
	c.sh(0, "crdctl generate && "+entry+" && git add pkg/apis/stable/v1alpha1/types.go")
	c.sh(1, "git commit -q -m forgotten")
	c.sh(0, "git commit -q -a -m fresh")
	assert.Equal(t, "fresh\nfresh\none\n", c.sh(0, "git status --porcelain && git log --format=%s"), "the repository")
}
