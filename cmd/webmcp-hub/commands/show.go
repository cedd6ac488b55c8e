package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/internal/agent"
	"webmcphub/internal/jsonrpc"
)

// show is the demo's script. After an error, which is in err, its steps do nothing.
type show struct {
	ctx   context.Context
	user  *user
	agent *agent.Agent
	shop  string

	seen []mcp.Tool
	err  error
}

func (s *show) play() {
	s.say("A user opens a shop whose page registers WebMCP tools. The agent's tool list follows:")
	shop := s.open("shop.html")
	s.do(func() error { return s.user.closeOthers(s.ctx, shop) })
	s.expect("_page0_search", "_page0_add_to_cart")
	s.say("The agent searches:")
	s.call("search", map[string]any{"query": "o"})
	s.say("It forgets an argument. The hub says so without asking the page:")
	s.call("add_to_cart", map[string]any{"product": "coffee"})
	s.say("It fills the cart, and the page offers one tool more:")
	s.call("add_to_cart", map[string]any{"product": "coffee", "count": 2})
	s.expect("_page0_search", "_page0_add_to_cart", "_page0_checkout")
	s.say("A second tab opens, with an MCP server of its own in the page. Both tabs' tools are there at once:")
	s.open("support.html")
	s.expect("_page0_search", "_page0_add_to_cart", "_page0_checkout", "_page1_open_ticket")
	s.call("open_ticket", map[string]any{"text": "Is the coffee ground?"})
	s.call("checkout", map[string]any{})
	s.expect("_page0_search", "_page0_add_to_cart", "_page1_open_ticket")
	s.say("The user leaves the shop for a page without tools:")
	s.do(func() error { return s.user.navigate(s.ctx, shop, s.shop+"about.html") })
	s.expect("_page1_open_ticket")
	s.say("And closes that tab; the other one is the first now:")
	s.do(func() error { return s.user.closeTab(s.ctx, shop) })
	s.expect("_page0_open_ticket")
}

// do runs a step of the script, unless an earlier one failed.
func (s *show) do(step func() error) {
	if s.err == nil {
		s.err = step()
	}
}

func (s *show) say(text string) {
	s.do(func() error {
		_, err := fmt.Printf("\n%s\n", text)
		return err
	})
}

// open makes the user open one of the built-in pages.
func (s *show) open(page string) (target string) {
	s.do(func() (err error) {
		target, err = s.user.open(s.ctx, s.shop+page)
		return err
	})
	return target
}

// expect waits until the page tools are those with these name endings, and prints what has changed.
func (s *show) expect(endings ...string) {
	s.do(func() error { return s.await(endings) })
}

func (s *show) await(endings []string) error {
	ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
	defer cancel()
	tools, err := s.agent.Until(ctx, func(list []mcp.Tool) bool {
		page := pageTools(list)
		return len(page) == len(endings) && !slices.ContainsFunc(endings, func(e string) bool { return !has(page, e) })
	})
	s.printChanges(pageTools(tools))
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the tools ending in %s were expected", strings.Join(endings, ", "))
	}
	return err
}

func pageTools(list []mcp.Tool) []mcp.Tool {
	return slices.DeleteFunc(slices.Clone(list), func(t mcp.Tool) bool { return !strings.HasPrefix(t.Name, "webmcp_") })
}

func has(list []mcp.Tool, ending string) bool {
	return slices.ContainsFunc(list, func(t mcp.Tool) bool { return strings.HasSuffix(t.Name, ending) })
}

func (s *show) printChanges(now []mcp.Tool) {
	named := func(list []mcp.Tool, name string) bool {
		return slices.ContainsFunc(list, func(t mcp.Tool) bool { return t.Name == name })
	}
	for _, t := range s.seen {
		if !named(now, t.Name) {
			fmt.Printf("  - %s\n", t.Name)
		}
	}
	for _, t := range now {
		if !named(s.seen, t.Name) {
			fmt.Printf("  + %s\n      %s\n", t.Name, t.Description)
		}
	}
	s.seen = now
}

// call calls the tool that the page registered as name, as an agent would, and prints both sides.
func (s *show) call(name string, args map[string]any) {
	s.do(func() error { return s.callTool(name, args) })
}

func (s *show) callTool(name string, args map[string]any) error {
	i := slices.IndexFunc(s.seen, func(t mcp.Tool) bool { return strings.HasSuffix(t.Name, "_"+name) })
	if i < 0 {
		return fmt.Errorf("%s is not in the list", name)
	}
	raw, err := jsonrpc.Encode(args)
	if err != nil {
		return err
	}
	fmt.Printf("  > %s %s\n", s.seen[i].Name, raw)
	result, err := s.agent.Call(s.ctx, s.seen[i].Name, args)
	if err != nil {
		return err
	}
	agent.Print(indented{os.Stdout}, result)
	return nil
}

// indented puts the sign for a result before each line.
type indented struct{ io.Writer }

func (w indented) Write(p []byte) (int, error) {
	for line := range strings.SplitSeq(strings.TrimRight(string(p), "\n"), "\n") {
		if _, err := fmt.Fprintf(w.Writer, "  < %s\n", line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
