package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"webmcphub/mcpserver"
)

const deploy = "../../deploy"

// deployed is how a file in deploy/ starts this program.
type deployed struct {
	file  string
	args  []string
	ports map[string]string // numbers by name; nil where the file doesn't say
	gets  []get             // of probes
}

type get struct{ path, port string }

// TestDeployedCommandLines: what deploy/ starts this program with are flags that it has, the ports
// that are opened are those that it listens at, and probes ask for what it serves.
func TestDeployedCommandLines(t *testing.T) {
	all := startedBy(t)
	commands := map[string]int{}
	for _, s := range all {
		where := s.file + ": " + strings.Join(s.args, " ")
		commands[s.args[0]]++
		parses(t, where, s.args)
		if s.ports == nil {
			continue
		}
		numbers := map[string]bool{}
		for name, number := range s.ports {
			numbers[number] = true
			if !slices.ContainsFunc(s.args, func(a string) bool { return strings.HasSuffix(a, "=0.0.0.0:"+number) }) {
				t.Errorf("%s: nobody listens at %s (%s)", where, number, name)
			}
		}
		for _, a := range s.args {
			if _, number, ok := strings.Cut(a, "=0.0.0.0:"); ok && !numbers[number] {
				t.Errorf("%s: %s is no port of the container", where, a)
			}
		}
		for _, g := range s.gets {
			if g.port != "watch" || g.path != mcpserver.HealthPath && g.path != mcpserver.ReadyPath {
				t.Errorf("%s: a probe asks for %s at %s", where, g.path, g.port)
			}
		}
		if len(s.gets) != 3 {
			t.Errorf("%s: there are %d probes", where, len(s.gets))
		}
	}
	if commands["node"] != 4 || commands["gateway"] != 3 || commands["cluster"] != 1 {
		t.Errorf("there are %v", commands)
	}
}

// TestDocumentedCommandLines: so are the operators' commands in the documents.
func TestDocumentedCommandLines(t *testing.T) {
	found := 0
	for _, file := range []string{deploy + "/README.md", "../../docs/cluster.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^ *webmcp-hub (cluster [^#\n]+)`).FindAllSubmatch(text, -1) {
			found++
			line := regexp.MustCompile(`\{(\d+)\.\.\d+\}`).ReplaceAllString(string(m[1]), "$1")
			parses(t, file, strings.Fields(line))
		}
	}
	if found == 0 {
		t.Error("there are none")
	}
}

// parses fails unless the program takes these arguments.
func parses(t *testing.T, where string, args []string) {
	t.Helper()
	var c cli
	parser, err := newParser(&c)
	if err != nil {
		t.Fatal(err)
	}
	var filled []string
	for _, a := range args {
		filled = append(filled, strings.NewReplacer("$(POD_NAME)", args[0]+"-0", "$(POD_IP)", "10.1.2.3").Replace(a))
	}
	if _, err := parser.Parse(filled); err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	switch args[0] {
	case "node":
		err = c.Node.validate()
	case "gateway":
		err = c.Gateway.validate()
	}
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
}

// startedBy are all command lines in deploy/, and those of nodes with what overlays add.
func startedBy(t *testing.T) (all []deployed) {
	t.Helper()
	var added []deployed
	err := filepath.WalkDir(deploy, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`value: "(--chrome-arg[^"]*)"`).FindAllSubmatch(text, -1) {
			added = append(added, deployed{file: path, args: []string{string(m[1])}})
		}
		for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var document any
			if err := documents.Decode(&document); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			look(document, func(m map[string]any) {
				if s, ok := read(m); ok {
					s.file = path
					all = append(all, s)
				}
			})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range added {
		i := slices.IndexFunc(all, func(s deployed) bool { return s.args[0] == "node" && s.ports != nil })
		all = append(all, deployed{a.file, append(slices.Clone(all[i].args), a.args...), all[i].ports, all[i].gets})
	}
	return all
}

// look shows found all objects of a document.
func look(at any, found func(map[string]any)) {
	switch at := at.(type) {
	case map[string]any:
		found(at)
		for _, v := range at {
			look(v, found)
		}
	case []any:
		for _, v := range at {
			look(v, found)
		}
	}
}

// read reads a container of Kubernetes, or a service of compose, that starts this program.
func read(m map[string]any) (s deployed, ok bool) {
	args, _ := m["args"].([]any)
	if args == nil {
		args, _ = m["command"].([]any)
	}
	for _, a := range args {
		s.args = append(s.args, fmt.Sprint(a))
	}
	if len(s.args) == 0 || !slices.Contains([]string{"node", "gateway", "cluster"}, s.args[0]) {
		return s, false
	}
	ports, _ := m["ports"].([]any)
	for _, p := range ports {
		if p, ok := p.(map[string]any); ok {
			if s.ports == nil {
				s.ports = map[string]string{}
			}
			s.ports[fmt.Sprint(p["name"])] = fmt.Sprint(p["containerPort"])
		}
	}
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		p, _ := m[probe].(map[string]any)
		if h, ok := p["httpGet"].(map[string]any); ok {
			s.gets = append(s.gets, get{fmt.Sprint(h["path"]), fmt.Sprint(h["port"])})
		}
	}
	return s, true
}

// TestDeployedFigures: autoscalers and alerts go by figures that there are.
func TestDeployedFigures(t *testing.T) {
	_, m := watchedNode(t, nil)
	m.Ended("ok", 0)
	served := map[string]bool{}
	_, text := ask(m, mcpserver.MetricsPath)
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (webmcp_hub_\w+) `).FindAllStringSubmatch(text, -1) {
		served[m[1]] = true
	}
	files, err := filepath.Glob(deploy + "/prometheus/*")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range append(files, deploy+"/kubernetes/base/scaling.yaml", "../../docs/cluster.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`webmcp_hub_\w+`).FindAllString(string(text), -1) {
			found++
			if !served[name] && !served[regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")] {
				t.Errorf("%s goes by %s, which nobody serves", file, name)
			}
		}
	}
	if found < 4 {
		t.Errorf("there are %d names of figures", found)
	}
}
