package deploytest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// TestCompose reads the file as docker compose does: by its schema, with references to services,
// networks, volumes and secrets looked up.
func TestCompose(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{"../compose/compose.yaml"}, cli.WithoutEnvironmentResolution, cli.WithEnv([]string{"WEBMCP_TOKEN=0123456789"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	stages := map[string]bool{}
	for _, s := range dockerfile(t) {
		stages[s.Name] = true
	}
	counts := map[string]int{}
	for name, s := range project.Services {
		if s.Build == nil || !stages[s.Build.Target] {
			t.Errorf("%s isn't built from a stage of the Dockerfile", name)
			continue
		}
		counts[s.Build.Target]++
		if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may do more than it needs", name)
		}
		for _, o := range s.SecurityOpt {
			if file, ok := strings.CutPrefix(o, "seccomp="); ok {
				if _, err := os.Stat(filepath.Join("../compose", file)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s is open to others at %q", name, p.HostIP)
			}
		}
	}
	if counts["etcd"] < 1 || counts["gateway"] < 2 || counts["node"] != 3 {
		t.Errorf("there are %v", counts)
	}
	for _, n := range []string{"node-1", "node-2"} {
		if s := project.Services[n]; s.ShmSize < types.UnitBytes(1<<30) || !slices.Contains(s.SecurityOpt, "seccomp=../chromium-seccomp.json") {
			t.Errorf("Chromium can't work in %s", n)
		}
	}
}

// dockerfile are the Dockerfile's stages.
func dockerfile(t *testing.T) []instructions.Stage {
	t.Helper()
	file, err := os.Open("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := parser.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(read.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

// TestDockerfile: BuildKit's parser reads it; what is copied from another stage or from the project
// is there; and nothing runs as root.
func TestDockerfile(t *testing.T) {
	before := map[string]bool{}
	for _, s := range dockerfile(t) {
		user := ""
		for _, c := range s.Commands {
			switch c := c.(type) {
			case *instructions.CopyCommand:
				if c.From != "" && !before[c.From] {
					t.Errorf("%s copies from %s, which isn't a stage before it", s.Name, c.From)
				}
				for _, file := range c.SourcePaths {
					if _, err := os.Stat(filepath.Join("../..", file)); c.From == "" && err != nil {
						t.Errorf("%s: %v", s.Name, err)
					}
				}
			case *instructions.UserCommand:
				user = c.User
			}
		}
		if s.Name != "build" && user != "65532:65532" {
			t.Errorf("%s runs as %q", s.Name, user)
		}
		before[s.Name] = true
	}
	if !before["gateway"] || !before["node"] || !before["etcd"] {
		t.Errorf("the stages are %v", before)
	}
}
