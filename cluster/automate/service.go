package automate

import (
	"context"
	"errors"
	"log/slog"
	"runtime"

	"webmcphub/actors"
	"webmcphub/automation"
	"webmcphub/cdpclient"
	"webmcphub/cluster/api"
	"webmcphub/cluster/node"
	"webmcphub/cluster/pages"
	"webmcphub/internal/browsertool"
	"webmcphub/registry"
)

// Service implements [node.Automation] and [node.Watcher].
type Service struct {
	*automation.Service
	*Screens
	host ServiceHost
	on   []automation.Category
}

var (
	_ node.Automation = (*Service)(nil)
	_ node.Watcher    = (*Service)(nil)
)

// ServiceHost has the methods of a node that a Service needs.
type ServiceHost interface {
	automation.Browser
	Name() string
	Current() *registry.Catalog
	Await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog
	Titles(ctx context.Context) (map[registry.PageID]registry.Title, error)
	InLife(browser, life string) bool
}

// ServiceOptions are fixed for the life of a Service.
type ServiceOptions struct {
	Categories []automation.Category
	// ExclusiveTabs is as in [automation.Options].
	ExclusiveTabs bool
	Logger        *slog.Logger
}

// NewService returns the Service of a node.
func NewService(h ServiceHost, o ServiceOptions) *Service {
	s := automation.New(automation.Options{
		Browser: own{h}, Categories: o.Categories, Several: true, ExclusiveTabs: o.ExclusiveTabs, Logger: o.Logger,
		All: h.Current, TabNumber: newTabNumbers(h.Name()).next,
	})
	return &Service{host: h, on: o.Categories, Service: s, Screens: NewScreens(h, screenOpener(h, s))}
}

// Close ends whatever is open in tabs. The contexts of all calls must have ended.
func (s *Service) Close() {
	s.End()
	s.Service.Close()
}

// Categories returns the categories of the service's tools.
func (s *Service) Categories() (names []string) {
	for _, c := range s.on {
		names = append(names, string(c))
	}
	return names
}

// Call implements [node.Automation].
func (s *Service) Call(ctx context.Context, client string, c *api.Automation, progress func(string)) *api.Automated {
	v := callView{s.host, c}
	ctx = context.WithValue(ctx, viewKey{}, v)
	before := v.now()
	chosen := &browsertool.CurrentPages{}
	if c.Page != "" {
		chosen.Select(client, registry.PageID(c.Page))
	}
	anonymous := client == ""
	r := s.Service.Call(ctx, browsertool.Call{
		Tool: c.Tool, Args: c.Args,
		Client: browsertool.Client{
			ID: client, Name: c.Name, Current: v.now, Catalog: v.titled, Await: v.await, Elsewhere: true,
			Chosen:  chosen,
			Refusal: func(*registry.Tab) string { return "" }, // the gateway has checked already
		},
		Progress: progress, About: func(*registry.Tab) {},
	}).Encode()
	a := &api.Automated{Result: r.JSON, IsError: r.IsError, Ending: r.Ending}
	if !anonymous {
		a.Page = string(chosen.Of(client))
	}
	a.Came, a.Gone = differs(before, v.now())
	return a
}

// differs returns the pages that have come, with their numbers, and the pages that have gone.
func differs(before, now *registry.Catalog) (came map[string]int64, gone []string) {
	for _, t := range now.Tabs() {
		if before.Tab(t.Page) == nil {
			if came == nil {
				came = map[string]int64{}
			}
			came[string(t.Page)] = int64(t.ID)
		}
	}
	for _, t := range before.Tabs() {
		if now.Tab(t.Page) == nil {
			gone = append(gone, string(t.Page))
		}
	}
	return came, gone
}

// viewKey is the key of a call's [callView] in its context.
type viewKey struct{}

// own is a node whose OpenTab takes the names that gateways use for the node's browsers.
type own struct{ ServiceHost }

// OpenTab opens a tab in one of the browsers that tab.In names. The browser must be in the life in which the call sees
// it.
func (o own) OpenTab(ctx context.Context, tab registry.NewTab) (registry.PageID, error) {
	var in []string
	for _, name := range tab.In {
		_, browser := pages.Own(name)
		in = append(in, browser)
	}
	if len(in) == 0 {
		return "", errors.New("no browser was named")
	}
	tab.In = in
	if v, is := ctx.Value(viewKey{}).(callView); is {
		tab.May = v.may
	}
	return o.ServiceHost.OpenTab(ctx, tab)
}

// OfNode returns a node as a [ServiceHost].
func OfNode(n node.Host) ServiceHost { return ofNode{n, n.Hub()} }

type ofNode struct {
	node.Host
	*actors.Hub
}

// Debuggable says whether Debug would give access, and whether it would use a debugging port.
func (n ofNode) Debuggable(id registry.PageID) (ported bool, err error) {
	return n.CanAutomate(id)
}

// Debug returns access to a tab.
func (n ofNode) Debug(id registry.PageID) (automation.Access, error) {
	a, err := n.AutomationAccess(id)
	return automation.Access{
		Conn: a.Conn, Target: a.Target, PageOf: a.PageOf, Origins: a.Origins, Gone: a.Gone, Answered: a.Answered,
		Mac: runtime.GOOS == "darwin", Earlier: func() (cdpclient.OpenDialog, bool) { return n.OpenDialog(id) },
	}, err
}
