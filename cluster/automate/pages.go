package automate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"webmcphub/automation"
	"webmcphub/cluster/pages"
	"webmcphub/registry"

	"webmcphub/registry/sanitize"
)

// list carries out list_pages. It asks all nodes at once. If a node doesn't answer, the list lacks only what that node
// alone knows about its pages, such as who owns them.
func (c *call) list(ctx context.Context) (registry.Result, error) {
	now := c.Current()
	if status := now.BrowserStatus(); status != "" {
		return registry.Result{}, errors.New(status)
	}
	reported, failures := c.ask(ctx, now)
	if ctx.Err() != nil {
		return registry.Result{}, context.Cause(ctx)
	}
	current := c.currentPage()
	all := []automation.ListedPage{}
	for _, t := range now.Tabs() {
		node, _ := pages.Own(string(t.Page))
		p, known := reported[listed{node, int(t.ID)}]
		switch failed := failures[node]; {
		case failed != nil:
			p = automation.ListedPage{ID: int(t.ID), Title: t.ShownTitle(100), URL: t.Address.Shown(2048),
				State: sanitize.Text(cmp.Or(t.Condition(), "its owner is unknown: "+failed.Error()), 300)}
		case !known: // the page is closed by now
			continue
		}
		p.Browser, p.Current, p.Tools = t.Browser, t.Page == current, len(t.Tools)
		all = append(all, p)
	}
	return automation.PageList(all, now).Encode(), nil
}

// listed identifies a page in the list of a node. It has the node, so that no node can describe another node's page.
type listed struct {
	node string
	id   int
}

// ask asks the nodes of a catalog's pages for their lists. failures says why a node gave none.
func (c *call) ask(ctx context.Context,
	now *registry.Catalog) (reported map[listed]automation.ListedPage, failures map[string]error) {
	reported, failures = map[listed]automation.ListedPage{}, map[string]error{}
	var mu sync.Mutex
	var asking sync.WaitGroup
	seen := map[string]bool{}
	for _, t := range now.Tabs() {
		node, _ := pages.Own(string(t.Page))
		if seen[node] {
			continue
		}
		seen[node] = true
		asking.Go(func() {
			all, err := c.pagesOf(ctx, node)
			mu.Lock()
			defer mu.Unlock()
			for _, p := range all {
				reported[listed{node, p.ID}] = oneLine(p)
			}
			if err != nil {
				failures[node] = err
			}
		})
	}
	asking.Wait()
	return reported, failures
}

// oneLine makes a page's texts safe and short, without line breaks, so that the page takes one line of a list.
func oneLine(p automation.ListedPage) automation.ListedPage {
	for text, most := range map[*string]int{&p.Title: 100, &p.URL: 2048, &p.Owner: 300, &p.State: 300,
		&p.Isolated: 300} {
		*text = sanitize.Text(strings.Join(strings.Fields(*text), " "), most)
	}
	return p
}

// maxList is how many bytes a node's list of pages may have.
const maxList = 4 << 20

// pagesOf returns the pages that a node lists.
func (c *call) pagesOf(ctx context.Context, node string) ([]automation.ListedPage, error) {
	if err := c.offeredBy(node); err != nil {
		return nil, err
	}
	done, err := c.nodes.Automate(ctx, node, c.request(node, c.currentPage()), nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured struct {
			Pages []automation.ListedPage `json:"pages"`
		} `json:"structuredContent"`
	}
	if len(done.Result) > maxList {
		return nil, fmt.Errorf("the node's list has more than %d MiB", maxList>>20)
	}
	if err := json.Unmarshal(done.Result, &list); err != nil {
		return nil, fmt.Errorf("the node's answer can't be read: %w", err)
	}
	if done.IsError && len(list.Content) > 0 {
		return nil, errors.New(list.Content[0].Text)
	}
	return list.Structured.Pages, nil
}

// open carries out new_page. It chooses the browser, and the browser's node opens the page.
func (c *call) open(ctx context.Context) (registry.Result, error) {
	var a struct {
		Browser string `json:"browser"`
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return registry.Result{}, err
	}
	now := c.Current()
	in, err := registry.FindBrowsers(now.Browsers(), a.Browser)
	if err != nil {
		return registry.Result{}, err
	}
	browser, err := c.choose(now, in)
	if err != nil {
		return registry.Result{}, err
	}
	c.args["browser"] = sanitize.Encode(browser)
	node, _ := pages.Own(browser)
	return c.at(ctx, node)
}

// choose returns the browser in which a page opens. It is one of in, or any if in is nil: the browser of the client's
// current page, else the first one that is connected and whose node opens pages.
func (c *call) choose(now *registry.Catalog, in []string) (string, error) {
	if t := now.Tab(c.currentPage()); t != nil && (in == nil || slices.Contains(in, t.Browser)) {
		return t.Browser, nil
	}
	var why error
	for _, b := range now.Browsers() {
		if in != nil && !slices.Contains(in, b.Name) {
			continue
		}
		node, _ := pages.Own(b.Name)
		err := c.offeredBy(node)
		if err == nil && b.Status != "" {
			err = fmt.Errorf("the browser %s is not connected: %s", b.Name, b.Status)
		}
		if err == nil {
			return b.Name, nil
		}
		why = cmp.Or(why, err)
	}
	if why == nil {
		why = errors.New(cmp.Or(now.BrowserStatus(), "there is no browser"))
	}
	return "", fmt.Errorf("the page was not opened: %w", why)
}
