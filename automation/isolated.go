package automation

import (
	"context"
	"errors"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// isolated are the browser contexts that agents named: each has cookies and storage of
// its own. They belong to one connection, and end with it.
type isolated struct {
	conn *cdpclient.Conn
	ids  map[string]string // the browser's ids by agents' names
}

// openIsolated opens a tab in the context of that name, which it makes if need be. A
// context is its client's own: two clients' contexts of one name are two.
func (r *Request) openIsolated(ctx context.Context, address, name string, background bool) (registry.PageID, error) {
	conn, err := r.service.anyConn(r.Catalog(ctx))
	if err != nil {
		return "", err
	}
	in, err := r.service.browserContext(ctx, conn, r.Client.ID+"\x00"+name)
	if err != nil {
		return "", err
	}
	var opened cdpclient.CreateTargetResult
	err = conn.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": address, "browserContextId": in, "background": background}, &opened)
	return registry.PageID(opened.TargetID), err
}

// anyConn is the connection to the browser of any tab that has one.
func (s *Service) anyConn(now *registry.Catalog) (*cdpclient.Conn, error) {
	err := errors.New("no tab is open whose browser has a debugging port; call new_page without isolatedContext first")
	for _, t := range now.Tabs() {
		a, e := s.options.Browser.Debug(t.Page)
		if e == nil {
			return a.Conn, nil
		}
		err = e
	}
	return nil, err
}

// browserContext gives the browser's id of a context.
func (s *Service) browserContext(ctx context.Context, conn *cdpclient.Conn, name string) (string, error) {
	s.mu.Lock()
	if s.isolated.conn != conn {
		s.isolated = isolated{conn, map[string]string{}}
	}
	id := s.isolated.ids[name]
	s.mu.Unlock()
	if id != "" {
		return id, nil
	}
	var made struct {
		ID string `json:"browserContextId"`
	}
	if err := conn.Call(ctx, "", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true}, &made); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch first := s.isolated.ids[name]; {
	case s.isolated.conn != conn: // the browser was lost, and its contexts with it
	case first != "":
		conn.Post("", "Target.disposeBrowserContext", map[string]any{"browserContextId": made.ID}, nil)
		return first, nil
	default:
		s.isolated.ids[name] = made.ID
	}
	return made.ID, nil
}
