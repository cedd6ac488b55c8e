package main

import (
	"encoding/json"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestClientsDoc: what docs/clients.md tells users to copy is well-formed, and
// the flags in it are the hub's.
func TestClientsDoc(t *testing.T) {
	content, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(content)
	hubs, urls := 0, 0
	for _, block := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(doc, -1) {
		var servers []map[string]any
		switch block[1] {
		case "json":
			servers = jsonServers(t, block[2])
		case "toml":
			servers = tomlServers(t, block[2])
		case "sh":
			// Everything after the hub's name is for the hub.
			if found := regexp.MustCompile(`webmcp-hub((?: .*)?)\n`).FindStringSubmatch(block[2]); found != nil {
				var args []any
				for _, arg := range strings.Fields(found[1]) {
					args = append(args, arg)
				}
				servers = append(servers, map[string]any{"command": "webmcp-hub", "args": args})
			}
		default:
			t.Errorf("a block of %q is not checked", block[1])
		}
		for _, server := range servers {
			if url := first(server, "url", "httpUrl"); url != nil {
				urls++
				if url != "http://127.0.0.1:8808/mcp" {
					t.Errorf("%v is not where the other examples are", url)
				}
				continue
			}
			hubs++
			command, _ := server["command"].(string)
			if path.Base(command) != "webmcp-hub" {
				t.Errorf("the command is %q", command)
			}
			var args []string
			list, _ := server["args"].([]any)
			for _, arg := range list {
				s, _ := arg.(string)
				args = append(args, s)
			}
			if _, err := parse(t, args...); err != nil {
				t.Errorf("%q: %v", args, err)
			}
		}
	}
	if hubs < 7 || urls < 4 {
		t.Errorf("only %d commands and %d addresses were found", hubs, urls)
	}
	flags := serveFlags(t)
	for _, span := range regexp.MustCompile("`--([a-z-]+)").FindAllStringSubmatch(doc, -1) {
		if !flags[span[1]] {
			t.Errorf("serve has no flag --%s", span[1])
		}
	}
}

func first(m map[string]any, keys ...string) any {
	for _, k := range keys {
		if v := m[k]; v != nil {
			return v
		}
	}
	return nil
}

func serveFlags(t *testing.T) map[string]bool {
	t.Helper()
	var c cli
	parser, err := newParser(&c)
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]bool{}
	for _, command := range parser.Model.Children {
		if command.Name == "serve" {
			for _, flag := range command.Flags {
				flags[flag.Name] = true
			}
		}
	}
	if !flags["mode"] {
		t.Fatal("the flags of serve were not found")
	}
	return flags
}

// jsonServers are the servers of a client's JSON file, under either name.
func jsonServers(t *testing.T, text string) (servers []map[string]any) {
	t.Helper()
	var file struct {
		McpServers, Servers map[string]map[string]any
		Inputs              []any
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	for _, all := range []map[string]map[string]any{file.McpServers, file.Servers} {
		for name, server := range all {
			if name != "webmcp" {
				t.Errorf("the server is called %s", name)
			}
			servers = append(servers, server)
		}
	}
	return servers
}

// tomlServers reads as much of TOML as the document needs: one table, whose
// values are JSON's too.
func tomlServers(t *testing.T, text string) []map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if lines[0] != "[mcp_servers.webmcp]" {
		t.Errorf("the table is %s", lines[0])
	}
	server := map[string]any{}
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "#") {
			continue
		}
		key, value, found := strings.Cut(line, " = ")
		var v any
		if err := json.Unmarshal([]byte(value), &v); !found || err != nil {
			t.Errorf("%q: %v", line, err)
		}
		server[key] = v
	}
	return []map[string]any{server}
}
