package record

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// loads remembers lifecycle events of documents. The page's goroutine adds them; whoever records waits for them.
type loads struct {
	mu   sync.Mutex
	seen map[[2]string]bool // by loader id and name of the event
	news chan struct{}      // closed and replaced at each event
}

func newLoads() *loads { return &loads{seen: map[[2]string]bool{}, news: make(chan struct{})} }

func (l *loads) event(e cdpclient.Event) {
	var is struct{ Name, LoaderID string }
	if json.Unmarshal(e.Params, &is) != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) > 1000 {
		clear(l.seen)
	}
	l.seen[[2]string{is.LoaderID, is.Name}] = true
	close(l.news)
	l.news = make(chan struct{})
}

// wait waits for a lifecycle event of a document, for most at most. A timeout is no error.
func (l *loads) wait(ctx context.Context, p *page.Page, loader, moment string, most time.Duration) error {
	limit := time.NewTimer(most)
	defer limit.Stop()
	for {
		l.mu.Lock()
		seen, news := l.seen[[2]string{loader, moment}], l.news
		l.mu.Unlock()
		if seen || loader == "" {
			return nil
		}
		select {
		case <-news:
		case <-limit.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.Done():
			return p.Err()
		}
	}
}
