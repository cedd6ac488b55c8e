package page

import (
	"context"
	"errors"

	"webmcphub/cdpclient"
)

// Entry is a document in a tab's history.
type Entry struct {
	ID  int // Chrome's
	At  int // its place in the history, from 0
	URL string
}

// history is what Chrome tells of one.
type history struct {
	Current int `json:"currentIndex"`
	Entries []struct {
		ID  int    `json:"id"`
		URL string `json:"url"`
	} `json:"entries"`
}

// Entry finds the document that is by steps after the current one in the tab's history, or
// before it where by is negative.
func (p *Page) Entry(ctx context.Context, by int) (Entry, error) {
	var all history
	if err := p.Call(ctx, "", cdpclient.PageGetNavigationHistory, nil, &all); err != nil {
		return Entry{}, err
	}
	switch at := all.Current + by; {
	case at < 0:
		return Entry{}, errors.New("there is nothing to go back to")
	case at >= len(all.Entries):
		return Entry{}, errors.New("there is nothing to go forward to")
	default:
		return Entry{all.Entries[at].ID, at, all.Entries[at].URL}, nil
	}
}

// Shows says whether a document of the tab's history is the current one.
func (p *Page) Shows(ctx context.Context, e Entry) bool {
	var all history
	return p.Call(ctx, "", cdpclient.PageGetNavigationHistory, nil, &all) == nil && all.Current == e.At
}
