package page

import (
	"context"
	"errors"
	"fmt"

	"webmcphub/cdpclient"
)

// Entry is a document in a tab's history.
type Entry struct {
	ID  int // Chrome's id of the entry
	At  int // its position in the history, from 0
	URL string
}

// history is the result of Page.getNavigationHistory.
type history struct {
	Current int `json:"currentIndex"`
	Entries []struct {
		ID  int    `json:"id"`
		URL string `json:"url"`
	} `json:"entries"`
}

// Entry returns a document in the tab's history: by is its distance from the current one, negative to go back.
func (p *Page) Entry(ctx context.Context, by int) (Entry, error) {
	var all history
	if err := p.Call(ctx, "", cdpclient.PageGetNavigationHistory, nil, &all); err != nil {
		return Entry{}, err
	}
	return all.entry(by)
}

// EntryOf does the same as [Page.Entry] for a tab whose page may have no process. It starts no process for the page.
func EntryOf(ctx context.Context, conn *cdpclient.Conn, target string, by int) (Entry, error) {
	browser, tab, err := attach(ctx, conn, target, nil)
	if err != nil {
		return Entry{}, err
	}
	defer detach(conn, browser)
	defer conn.Detach(tab)
	var all history
	if err := conn.Call(ctx, tab, cdpclient.PageGetNavigationHistory, nil, &all); err != nil {
		return Entry{}, fmt.Errorf("read the tab's history: %w", err)
	}
	return all.entry(by)
}

// entry returns the document at the distance by from the current one.
func (h history) entry(by int) (Entry, error) {
	switch at := h.Current + by; {
	case at < 0:
		return Entry{}, errors.New("there is nothing to go back to")
	case at >= len(h.Entries):
		return Entry{}, errors.New("there is nothing to go forward to")
	default:
		return Entry{h.Entries[at].ID, at, h.Entries[at].URL}, nil
	}
}

// Shows says whether an entry of the tab's history is the current one.
func (p *Page) Shows(ctx context.Context, e Entry) bool {
	var all history
	return p.Call(ctx, "", cdpclient.PageGetNavigationHistory, nil, &all) == nil && all.Current == e.At
}
