package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// reach is how long a page that is open may take to show; the relay's script
// looks for its relay again after at most 3 s.
const reach = 10 * time.Second

// peers are the servers, each as its own documentation starts it.
func peers(hub, modules, node string) ([]*peer, error) {
	hubs := theHub("hub", "this hub", hub, false)
	hubOnMCPB := theHub("hub-mcpb", "this hub, @mcp-b/global", hub, true)
	all := []*peer{hubs, chromeDevtools(modules, node), playwright(modules, node), hubOnMCPB, relay(modules, node)}
	var err error
	if hubs.version, err = versionOfHub(hub); err != nil {
		return nil, err
	}
	hubOnMCPB.version = hubs.version
	for name, p := range map[string]*peer{"chrome-devtools-mcp": all[1], "@playwright/mcp": all[2],
		"@mcp-b/webmcp-local-relay": all[4]} {
		if p.version, err = versionOf(modules, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func versionOfHub(binary string) (string, error) {
	out, err := exec.Command(binary, "--version").Output()
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "webmcp-hub "), err
}

func versionOf(modules, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(modules, name, "package.json"))
	if err != nil {
		return "", err
	}
	var p struct{ Version string }
	return p.Version, errorIn(json.Unmarshal(text, &p), name)
}

func errorIn(err error, what string) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

var hubsName = regexp.MustCompile(`^webmcp_.*page\d+_`)

func theHub(name, title, binary string, mcpb bool) *peer {
	p := &peer{name: name, title: title, mcpb: mcpb, owns: hubsName.MatchString}
	p.command = func(c *chromium) []string { return []string{binary, "--browser-url", c.url} }
	p.listed()
	return p
}

func relay(modules, node string) *peer {
	p := &peer{name: "relay", title: "@mcp-b/webmcp-local-relay", mcpb: true}
	p.owns = func(tool string) bool { return !strings.HasPrefix(tool, "webmcp_") }
	p.command = func(c *chromium) []string {
		return []string{node, filepath.Join(modules, "@mcp-b/webmcp-local-relay/dist/cli.js"), "--port",
			strconv.Itoa(c.port)}
	}
	p.listed()
	return p
}

// listed is for servers that list a page's tools as their own.
func (p *peer) listed() {
	var known string // the name by which echo was listed
	p.arrive = func(ctx context.Context, s *session, _ *tab) error {
		known = ""
		return p.appear(ctx, s, reach, "echo")
	}
	p.verbs = map[verb]act{echo: func(ctx context.Context, s *session, _ *tab, text string) error {
		if known == "" {
			tools, err := s.List(ctx)
			if err != nil {
				return err
			}
			known = p.find(tools, "echo")
		}
		got, err := s.Call(ctx, known, map[string]string{"text": text})
		if err != nil {
			return err
		}
		return same(got, text)
	}}
}

// devtools is an agent of chrome-devtools-mcp, which reaches pages' tools by two
// of the server's own.
type devtools struct {
	page int // of the tab that it has arrived at
}

func chromeDevtools(modules, node string) *peer {
	agent := &devtools{}
	p := &peer{name: "chrome-devtools-mcp", title: "chrome-devtools-mcp", owns: none, arrive: agent.arrive,
		asked: agent.asked}
	p.command = func(c *chromium) []string {
		return []string{node, filepath.Join(modules, "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"),
			"--browserUrl", c.url,
			"--categoryExperimentalWebmcp", "--no-usage-statistics", "--no-performance-crux"}
	}
	p.verbs = map[verb]act{echo: agent.echo}
	return p
}

var devtoolsPage = regexp.MustCompile(`(?m)^(\d+): .*\((.*)\)`)

// pages gives the ids of the tabs, by address.
func (d *devtools) pages(ctx context.Context, s *session) (map[string]int, error) {
	text, err := s.Call(ctx, "list_pages", map[string]any{})
	if err != nil {
		return nil, err
	}
	ids := map[string]int{}
	for _, m := range devtoolsPage.FindAllStringSubmatch(text, -1) {
		if ids[m[2]], err = strconv.Atoi(m[1]); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// count is how many tools a tab has.
func (d *devtools) count(ctx context.Context, s *session, page int) (int, error) {
	text, err := s.Call(ctx, "list_webmcp_tools", map[string]any{"pageId": page})
	return strings.Count(text, "\nname=\""), err
}

func (d *devtools) arrive(ctx context.Context, s *session, t *tab) error {
	for deadline := time.Now().Add(reach); time.Now().Before(deadline); {
		ids, err := d.pages(ctx, s)
		if err != nil {
			return err
		}
		var there bool
		if d.page, there = ids[t.url]; !there {
			continue
		}
		if n, err := d.count(ctx, s, d.page); err != nil || n == toolsOfAPage {
			return err
		}
	}
	return errNotSeen
}

func (d *devtools) asked(ctx context.Context, s *session) (sum int, err error) {
	ids, err := d.pages(ctx, s)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		n, err := d.count(ctx, s, id)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (d *devtools) echo(ctx context.Context, s *session, _ *tab, text string) error {
	input, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return err
	}
	got, err := s.Call(ctx, "execute_webmcp_tool",
		map[string]any{"pageId": d.page, "toolName": "echo", "input": string(input)})
	if err != nil {
		return err
	}
	return echoed(got, text)
}

// playwright lists the tools of the current tab.
func playwright(modules, node string) *peer {
	p := &peer{name: "playwright-mcp", title: "@playwright/mcp"}
	p.owns = func(tool string) bool { return strings.HasPrefix(tool, "webmcp_") }
	p.command = func(c *chromium) []string {
		return []string{node, filepath.Join(modules, "@playwright/mcp/cli.js"), "--cdp-endpoint", c.url}
	}
	line := regexp.MustCompile(`(?m)^- (\d+): .*\((.*)\)`)
	p.arrive = func(ctx context.Context, s *session, t *tab) error {
		text, err := s.Call(ctx, "browser_tabs", map[string]any{"action": "list"})
		if err != nil {
			return err
		}
		for _, m := range line.FindAllStringSubmatch(text, -1) {
			if m[2] != t.url {
				continue
			}
			index, err := strconv.Atoi(m[1])
			if err != nil {
				return err
			}
			if _, err := s.Call(ctx, "browser_tabs", map[string]any{"action": "select", "index": index}); err != nil {
				return err
			}
			return p.appear(ctx, s, reach, "echo")
		}
		return fmt.Errorf("browser_tabs doesn't show %s: %s", t.url, text)
	}
	p.verbs = map[verb]act{echo: func(ctx context.Context, s *session, _ *tab, text string) error {
		got, err := s.Call(ctx, "webmcp_echo", map[string]string{"text": text})
		if err != nil {
			return err
		}
		return echoed(got, text)
	}}
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
