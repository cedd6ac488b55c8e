package pages

import (
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/names"
	"webmcphub/registry"
)

// A gateway shows content that may be out of date for a limited time.
const (
	// Lost is how long content is shown after the connection was lost.
	Lost = 600 * time.Millisecond
	// Behind is how long content is shown after the gateway noticed that the node may have a later state.
	Behind = 3 * time.Second
)

// Mirror holds what a gateway knows about a node's pages, and decides whether the gateway shows them. Make one with
// [NewMirror]. A Mirror belongs to one goroutine.
type Mirror struct {
	replica
	shown  bool
	hideAt time.Time         // zero means never
	closed []registry.PageID // pages that a failed delta closed and that no Content has reported yet
}

// NewMirror returns an empty Mirror of a node. It returns an error if the node's name is malformed.
func NewMirror(node string) (*Mirror, error) {
	if err := names.Check("node", node); err != nil {
		return nil, err
	}
	return &Mirror{replica: newReplica(node)}, nil
}

// Has returns the incarnation and the version of the content. The version is 0 if there is no content.
func (m *Mirror) Has() (incarnation string, version uint64) { return m.incarnation, m.version }

// Begin begins a new connection. It drops the parts of a delta that the previous connection left incomplete.
func (m *Mirror) Begin() { m.parts, m.partsWeight = nil, 0 }

// Apply applies a delta that an incarnation of the node has sent. changed says whether the shown content may have
// changed, and left is what the Mirror leaves out. After an error the caller must call [Mirror.Drop], which then also
// returns the pages that the delta closed before it failed.
func (m *Mirror) Apply(incarnation string, d *api.Delta) (c Content, changed bool, left []LeftOut, err error) {
	c, left, complete, err := m.apply(incarnation, d)
	if err != nil {
		m.closed = append(m.closed, c.Gone...)
		return Content{}, false, left, err
	}
	return c, complete && m.shown, left, nil
}

// Fresh shows the content, and cancels [Mirror.HideIn]. Call it when the content is known to be new enough.
func (m *Mirror) Fresh() (c Content, changed bool) {
	m.hideAt = time.Time{}
	if m.shown || m.version == 0 {
		return c, false
	}
	m.shown = true
	return m.all(), true
}

// HideIn makes [Mirror.Due] hide the shown content once the duration after has passed, unless [Mirror.Fresh] is called
// first. An earlier time that is already set stays.
func (m *Mirror) HideIn(now time.Time, after time.Duration) {
	if at := now.Add(after); m.shown && (m.hideAt.IsZero() || at.Before(m.hideAt)) {
		m.hideAt = at
	}
}

// HideAt returns when the content is to be hidden; zero means never.
func (m *Mirror) HideAt() time.Time { return m.hideAt }

// Due hides the content if its time has come. The Mirror still keeps the content, so that a node that comes back need
// only send what differs.
func (m *Mirror) Due(now time.Time) (c Content, changed bool) {
	if !m.shown || m.hideAt.IsZero() || now.Before(m.hideAt) {
		return c, false
	}
	m.shown, m.hideAt = false, time.Time{}
	for _, p := range m.order {
		c.Gone = append(c.Gone, p.facts.Page)
	}
	c.Epoch = m.epoch
	m.epoch++ // what is shown next is independent of what was shown before
	return c, true
}

// Drop forgets all content.
func (m *Mirror) Drop() (c Content, changed bool) {
	changed = m.shown
	c = m.forget()
	c.Gone = append(m.closed, c.Gone...)
	m.shown, m.hideAt, m.closed = false, time.Time{}, nil
	m.epoch++
	return c, changed
}

// Page returns the shown page with this name in the cluster ([Named]), or nil.
func (m *Mirror) Page(id registry.PageID) *registry.PageSnapshot {
	if p := m.pages[id]; p != nil && m.shown {
		return p.facts
	}
	return nil
}
