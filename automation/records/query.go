package records

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"webmcphub/internal/wording"
)

// Paging chooses a part of a list, as in chrome-devtools-mcp: pages of PageSize entries (20 if only PageIdx is
// given), counted from 0, oldest first. If both are nil, the part is the whole list, or the newest [unpaged] entries
// if it is longer.
type Paging struct {
	PageSize *int
	PageIdx  *int
}

const (
	defaultPageSize = 20
	unpaged         = 100
)

// Shown says which part of a list was returned.
type Shown struct {
	From  int // the position of the first entry, from 0
	To    int // the position after the last entry
	Total int
	Page  int
	Pages int
	paged bool
}

// of applies the paging to a list of n entries.
func (p Paging) of(n int) (Shown, error) {
	if p.PageSize == nil && p.PageIdx == nil {
		return Shown{From: max(0, n-unpaged), To: n, Total: n, Pages: 1}, nil
	}
	size, page := defaultPageSize, 0
	if p.PageSize != nil {
		size = *p.PageSize
	}
	if p.PageIdx != nil {
		page = *p.PageIdx
	}
	if size < 1 {
		return Shown{}, fmt.Errorf("pageSize is %d; it must be at least 1", size)
	}
	pages := max(1, n/size+min(1, n%size))
	if page < 0 || page >= pages {
		return Shown{}, fmt.Errorf("there is no page %d: %s of %d each, so pageIdx goes from 0 to %d", page,
			wording.Count(pages, "page"), size, pages-1)
	}
	from := page * size
	return Shown{From: from, To: from + min(size, n-from), Total: n, Page: page, Pages: pages, paged: true}, nil
}

// MessageQuery asks for console messages. The zero value asks for those of the current document.
type MessageQuery struct {
	Paging
	Types     []string // some of [MessageTypes]; none means all
	Text      string   // only messages whose text contains this, ignoring case
	Preserved bool     // include earlier documents
	Stacks    bool     // show stacks in the list
	Hides     Hides
}

// MessageList is the answer to a [MessageQuery].
type MessageList struct {
	Messages  []Message
	Shown     Shown
	Lost      int    // how many older messages were dropped
	Dropped   uint64 // how many events of any kind came too fast to be recorded
	Hidden    int    // how many messages of any type Hides hides
	Documents []Document
	stacks    bool
}

// Messages lists console messages, oldest first. Equal consecutive messages are listed once, and so are all equal
// issues of a document.
func (t *Tab) Messages(q MessageQuery) (MessageList, error) {
	if err := known("type", "message types", q.Types, MessageTypes); err != nil {
		return MessageList{}, err
	}
	docs := t.queried(q.Preserved, q.Hides)
	list := MessageList{Documents: docs, stacks: q.Stacks, Dropped: t.dropped, Messages: []Message{}}
	for _, d := range docs {
		list.Lost += d.LostMessages
	}
	group := grouper{issues: map[string]int{}}
	text := strings.ToLower(q.Text)
	for i := range t.messages.entries {
		s := &t.messages.entries[i]
		if s.document < docs[0].Seq {
			continue
		}
		if q.Hides != nil && q.Hides(t.whose(s.document, s.of)) {
			list.Hidden++
			continue
		}
		m := t.shown(s)
		if (len(q.Types) == 0 || slices.Contains(q.Types, m.Type)) && strings.Contains(strings.ToLower(m.Text), text) {
			group.add(m)
		} else {
			group.broken()
		}
	}
	t.messages.trim(t.lostMessage)
	var err error
	if list.Shown, err = q.of(len(group.out)); err != nil {
		return MessageList{}, err
	}
	for _, m := range group.out[list.Shown.From:list.Shown.To] {
		if m.request != "" {
			m.Request = t.reqid(m.request)
		}
		if !q.Stacks {
			m.Stack, m.Omitted = nil, 0
		}
		list.Messages = append(list.Messages, m)
	}
	return list, nil
}

// grouper groups equal consecutive messages, and equal issues.
type grouper struct {
	out    []Message
	issues map[string]int
	apart  bool
}

func (g *grouper) broken() { g.apart = true }

func (g *grouper) add(m Message) {
	if m.Type == "issue" {
		key := fmt.Sprint(m.Document, m.Text)
		if i, ok := g.issues[key]; ok {
			g.out[i].Count += m.Count
			return
		}
		g.issues[key] = len(g.out)
	} else if n := len(g.out); n > 0 && !g.apart && g.out[n-1].same(&m) {
		g.out[n-1].Count += m.Count
		return
	}
	g.apart = false
	g.out = append(g.out, m)
}

func (m *Message) same(o *Message) bool {
	return m.Type == o.Type && m.Text == o.Text && len(m.Args) == len(o.Args) && m.Document == o.Document &&
		m.Source == o.Source && m.Worker == o.Worker
}

// shown returns a ring's entry as a message of its own.
func (t *Tab) shown(s *slot[*message]) Message {
	m := *t.read(s)
	m.ID, m.Document, m.Count = s.id, s.document, s.value.repeats+1
	return m
}

// Message returns one message with everything that is known about it.
func (t *Tab) Message(id int) (Message, error) {
	s := t.messages.get(id)
	if s == nil {
		return Message{}, t.messages.missing("msgid", "list_console_messages", id)
	}
	m := t.shown(s)
	t.messages.trim(t.lostMessage)
	if m.request != "" {
		m.Request = t.reqid(m.request)
	}
	return m, nil
}

// missing returns the error for an id that has no entry.
func (r *ring[T]) missing(what, tool string, id int) error {
	switch {
	case id < 1 || id > r.last:
		return fmt.Errorf("there is no %s %d in this tab; %s gives the ids", what, id, tool)
	default:
		return fmt.Errorf("%s %d is no longer kept: newer ones took its place, or its document is more than two "+
			"navigations ago; %s gives the ids that are", what, id, tool)
	}
}

// RequestQuery asks for network requests. The zero value asks for those of the current document.
type RequestQuery struct {
	Paging
	Types     []string // some of [ResourceTypes]; none means all
	URL       string   // only requests whose address contains this, ignoring case
	Method    string
	Status    string // such as "404", "4xx", "pending", "failed"; see [matchStatus]
	Preserved bool
	Hides     Hides
}

// RequestList is the answer to a [RequestQuery].
type RequestList struct {
	Requests  []Request
	Shown     Shown
	Lost      int
	Dropped   uint64  // as in [MessageList]
	Hidden    int     // as in [MessageList]
	Since     float64 // ms since 1970; set if earlier requests may be missing
	Documents []Document
	// NoSockets says that WebSockets are left out, because it isn't known which of them belong to documents that are
	// kept out.
	NoSockets bool
}

// Requests lists network requests in the order in which they began, without their headers.
func (t *Tab) Requests(q RequestQuery) (RequestList, error) {
	if err := known("resource type", "resourceTypes", q.Types, ResourceTypes); err != nil {
		return RequestList{}, err
	}
	match, err := matchStatus(q.Status)
	if err != nil {
		return RequestList{}, err
	}
	docs := t.queried(q.Preserved, q.Hides)
	list := RequestList{Documents: docs, Dropped: t.dropped, Requests: []Request{}}
	if docs[0].Seq <= t.network.Document {
		list.Since = t.network.Time
	}
	for _, d := range docs {
		list.Lost += d.LostRequests
	}
	var found []*request
	part := strings.ToLower(q.URL)
	for _, s := range t.requests.entries {
		r := s.value
		switch {
		case s.document < docs[0].Seq:
		case q.Hides != nil && q.Hides(t.whose(s.document, s.of, r.origin())):
			list.Hidden++ // counted without regard to the filters, because the number would reveal what they match
		case (len(q.Types) == 0 || slices.Contains(q.Types, r.Type)) &&
			(q.Method == "" || strings.EqualFold(q.Method, r.Method)) &&
			match(r) && strings.Contains(strings.ToLower(t.urlOf(&r.Request)), part):
			r.Document = s.document
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b *request) int { return a.Document - b.Document })
	if list.Shown, err = q.of(len(found)); err != nil {
		return RequestList{}, err
	}
	for _, r := range found[list.Shown.From:list.Shown.To] {
		v := r.Request
		v.URL = t.urlOf(&v)
		list.Requests = append(list.Requests, v)
	}
	return list, nil
}

// Request returns one request with its headers.
func (t *Tab) Request(id int) (Request, error) {
	s := t.requests.get(id)
	if s == nil {
		return Request{}, t.requests.missing("reqid", "list_network_requests", id)
	}
	s.value.Document = s.document
	return s.value.view(), nil
}

// Redirects returns the requests that led to a request by redirects, first to last, without the request itself.
func (t *Tab) Redirects(id int) (steps []Request) {
	s := t.requests.get(id)
	for s != nil && s.value.RedirectedFrom > 0 {
		if s = t.requests.get(s.value.RedirectedFrom); s != nil {
			steps = append(steps, s.value.Request)
			steps[len(steps)-1].URL = t.urlOf(&s.value.Request)
		}
	}
	slices.Reverse(steps)
	return steps
}

func (t *Tab) reqid(cdp string) int {
	if s := t.step(cdp); s != nil {
		return s.id
	}
	return 0
}

// queried returns the documents that a query is about.
func (t *Tab) queried(preserved bool, hides Hides) []Document {
	docs := []Document{*t.current()}
	if preserved {
		docs = slices.Clone(t.documents)
	}
	for i := range docs {
		docs[i].URL = t.redacted(docs[i].URL)
		if origin := Origin(docs[i].URL); hides != nil && origin != "" && hides([]string{origin}) {
			docs[i].URL = origin
		}
	}
	return docs
}

// matchStatus parses a status filter: a number ("404"), a class ("4xx"), a state ("pending", …; "failed" includes
// blocked and canceled), or "error" for failures and all statuses from 400 on.
func matchStatus(filter string) (func(*request) bool, error) {
	f := strings.ToLower(strings.TrimSpace(filter))
	switch f {
	case "":
		return func(*request) bool { return true }, nil
	case "error":
		return func(r *request) bool { return r.Status >= 400 || r.broke() }, nil
	case "failed":
		return (*request).broke, nil
	case string(Pending), string(Redirected), string(Finished), string(Canceled), string(Blocked):
		return func(r *request) bool { return string(r.State) == f }, nil
	}
	if len(f) == 3 && f[0] >= '1' && f[0] <= '5' {
		class := int(f[0] - '0')
		if f[1:] == "xx" {
			return func(r *request) bool { return r.Status/100 == class }, nil
		}
		if f[1] >= '0' && f[1] <= '9' && f[2] >= '0' && f[2] <= '9' {
			status := class*100 + int(f[1]-'0')*10 + int(f[2]-'0')
			return func(r *request) bool { return r.Status == status }, nil
		}
	}
	return nil, fmt.Errorf("status %q is none to filter by: give a number (404), a class (4xx), error, failed, "+
		"pending, finished, redirected, canceled or blocked", filter)
}

func (r *request) broke() bool {
	return r.State == Failed || r.State == Blocked || r.State == Canceled
}

func known(what, parameter string, given, all []string) error {
	for _, g := range given {
		if !slices.Contains(all, g) {
			return fmt.Errorf("%q is no %s; %s are %s", clip(g, 100), what, parameter, strings.Join(all, ", "))
		}
	}
	return nil
}

// Origin returns the origin of an address, or "" if it has none.
func Origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
