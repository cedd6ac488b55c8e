package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// peers are the servers, each as its own documentation starts it.
func peers(hub, modules string) ([]*peer, error) {
	out, err := exec.Command(hub, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", hub, err)
	}
	all := servers(hub, modules)
	for _, p := range all {
		p.version = strings.TrimPrefix(strings.TrimSpace(string(out)), "webmcp-hub ")
		if !strings.HasPrefix(p.name, "hub") {
			if p.version, err = versionOf(modules, p.title); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// versionOf is that of a package of npm.
func versionOf(modules, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(modules, name, "package.json"))
	if err != nil {
		return "", err
	}
	var p struct{ Version string }
	if err := json.Unmarshal(text, &p); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return p.Version, nil
}

// installed says where npm put the others.
func installed() (string, error) {
	modules, err := filepath.Abs("bench/peers/node_modules")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err != nil {
		return "", fmt.Errorf("the peers aren't installed (make peers does it): %w", err)
	}
	return modules, nil
}

// nodeIn is the Node that npm installed, or else the machine's own.
func nodeIn(modules string) string {
	for _, platform := range []string{"linux-x64", "linux-arm64"} {
		name := filepath.Join(modules, "node-"+platform, "bin", "node")
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return "node"
}

func nodeVersion(modules string) string {
	out, err := exec.Command(nodeIn(modules), "--version").Output()
	if err != nil {
		return "?"
	}
	return strings.TrimSpace(string(out))
}

// servers are the peers without their versions. The title of one from npm is its name there.
func servers(hub, modules string) []*peer {
	node := nodeIn(modules)
	return []*peer{theHub(hub), chromeDevtools(modules, node), playwright(modules, node), theHubOnMCPB(hub),
		relay(modules, node)}
}

var hubsName = regexp.MustCompile(`^webmcp_.*page\d+_`)

func theHub(binary string) *peer {
	p := &peer{
		name: "hub", title: "this hub", owns: hubsName.MatchString, automationFlags: []string{"--automation"},
		command: func(c *chromium) []string { return []string{binary, "--browser-url", c.url} },
		dialect: &dialect{
			ask: asDevTools("timeout"), choose: selectPage, ref: `(?m)^\s*(\S+) \S+.* ?"%s"`,
			whole: func(page int) request {
				return request{"take_snapshot", map[string]any{"pageId": page, "maxTokens": 0}}
			},
		},
	}
	p.listed()
	return p
}

func theHubOnMCPB(binary string) *peer {
	p := theHub(binary)
	p.name, p.title, p.mcpb, p.dialect = "hub-mcpb", "this hub, @mcp-b/global", true, nil
	return p
}

func relay(modules, node string) *peer {
	p := &peer{
		name: "relay", title: "@mcp-b/webmcp-local-relay", mcpb: true,
		owns: func(tool string) bool { return !strings.HasPrefix(tool, "webmcp_") },
		command: func(c *chromium) []string {
			return []string{node, filepath.Join(modules, "@mcp-b/webmcp-local-relay/dist/cli.js"), "--port",
				strconv.Itoa(c.port)}
		},
	}
	p.listed()
	return p
}

// listed is for servers that list a page's tools as their own.
func (p *peer) listed() {
	var known string // the name by which echo was listed
	p.arrive = func(ctx context.Context, s *session, _ *tab) error {
		known = ""
		return p.appear(ctx, s, "echo")
	}
	p.echo = func(ctx context.Context, s *session, text string) error {
		if known == "" {
			tools, err := s.list(ctx)
			if err != nil {
				return err
			}
			known = p.find(tools, "echo")
		}
		got, err := s.call(ctx, known, map[string]string{"text": text})
		if err != nil {
			return err
		}
		return same(got, text)
	}
}

// chromeDevtools reaches pages' tools by two of the server's own.
func chromeDevtools(modules, node string) *peer {
	d := &dialect{ask: asDevTools(""), choose: selectPage, ref: `(?m)uid=(\S+) \S+.* "%s"`}
	page := 0 // of the tab that it has arrived at
	count := func(ctx context.Context, s *session, t *tab) (n int, err error) {
		if page, err = d.page(ctx, s, t.url); err != nil {
			return 0, err
		}
		text, err := s.call(ctx, "list_webmcp_tools", map[string]any{"pageId": page})
		return strings.Count(text, "\nname=\""), err
	}
	return &peer{
		name: "chrome-devtools-mcp", title: "chrome-devtools-mcp", dialect: d,
		toolFlags: []string{"--categoryExperimentalWebmcp"},
		command: func(c *chromium) []string {
			return []string{node, filepath.Join(modules, "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"),
				"--browserUrl", c.url, "--no-usage-statistics", "--no-performance-crux"}
		},
		owns: func(string) bool { return false }, // its tools/list has no pages' tools
		arrive: func(ctx context.Context, s *session, t *tab) error {
			for deadline := time.Now().Add(reach); time.Now().Before(deadline); {
				n, err := count(ctx, s, t)
				if err != nil && !errors.Is(err, errNotSeen) || n == toolsOfAPage {
					return err
				}
			}
			return errNotSeen
		},
		countAsked: count,
		echo: func(ctx context.Context, s *session, text string) error {
			input, err := json.Marshal(map[string]string{"text": text})
			if err != nil {
				return err
			}
			got, err := s.call(ctx, "execute_webmcp_tool",
				map[string]any{"pageId": page, "toolName": "echo", "input": string(input)})
			if err != nil {
				return err
			}
			return echoed(got, text)
		},
	}
}

// playwright lists the tools of the current tab.
func playwright(modules, node string) *peer {
	d := &dialect{
		ask: asPlaywright, mute: true, ref: `(?m)"%s".*\[ref=(\w+)\]`,
		choose: func(page int) request {
			return request{"browser_tabs", map[string]any{"action": "select", "index": page}}
		},
	}
	p := &peer{
		name: "playwright-mcp", title: "@playwright/mcp", dialect: d,
		automationFlags: []string{"--timeout-action", strconv.Itoa(patienceOfAnAct)},
		command: func(c *chromium) []string {
			return []string{node, filepath.Join(modules, "@playwright/mcp/cli.js"), "--cdp-endpoint", c.url}
		},
		owns: func(tool string) bool { return strings.HasPrefix(tool, "webmcp_") },
		echo: func(ctx context.Context, s *session, text string) error {
			got, err := s.call(ctx, "webmcp_echo", map[string]string{"text": text})
			if err != nil {
				return err
			}
			return echoed(got, text)
		},
	}
	p.arrive = func(ctx context.Context, s *session, t *tab) error {
		page, err := d.page(ctx, s, t.url)
		if err == nil {
			err = d.makeCurrent(ctx, s, page)
		}
		if err != nil {
			return err
		}
		return p.appear(ctx, s, "echo")
	}
	return p
}

// echoed checks an answer that has the page's result as JSON at its end, in
// whatever layout.
func echoed(got, text string) error {
	_, result, _ := strings.Cut(got, "{")
	var r struct {
		Output  *struct{ Content []struct{ Text string } }
		Content []struct{ Text string }
	}
	if err := json.NewDecoder(strings.NewReader("{" + result)).Decode(&r); err != nil {
		return fmt.Errorf("the answer has no result: %.500q", got)
	}
	content := r.Content
	if r.Output != nil {
		content = r.Output.Content
	}
	if len(content) != 1 {
		return fmt.Errorf("the answer is %.500q", got)
	}
	return same(content[0].Text, text)
}
