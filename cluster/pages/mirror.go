package pages

import (
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/names"
	"webmcphub/registry"
)

// For how long content stays shown that may be out of date.
const (
	// Lost is how long it stays after the connection was lost.
	Lost = 600 * time.Millisecond
	// Behind is how long it stays after it was known that the node may have a later state.
	Behind = 3 * time.Second
)

// Mirror is what a gateway knows of a node's pages, and shows of them. Make one with [NewMirror]; it belongs to one
// goroutine.
type Mirror struct {
	replica
	shown  bool
	hideAt time.Time         // zero if nothing is due
	closed []registry.PageID // by a delta that failed, and not told yet
}

// NewMirror makes the Mirror of a node, which knows nothing yet. The error says that no node can have that name.
func NewMirror(node string) (*Mirror, error) {
	if err := names.Check("node", node); err != nil {
		return nil, err
	}
	return &Mirror{replica: newReplica(node)}, nil
}

// Has is of which incarnation and version the content is; the version is 0 if there is none.
func (m *Mirror) Has() (incarnation string, version uint64) { return m.incarnation, m.version }

// Begin says that a connection begins: of an earlier one no part of a delta will follow.
func (m *Mirror) Begin() { m.parts, m.partly = nil, 0 }

// Apply takes a delta that an incarnation of the node tells. The content has changed if changed is set. After an error
// the Mirror is to be dropped: [Mirror.Drop] then also tells what the delta closed before it failed.
func (m *Mirror) Apply(incarnation string, d *api.Delta) (c Content, changed bool, left []LeftOut, err error) {
	c, left, complete, err := m.apply(incarnation, d)
	if err != nil {
		m.closed = append(m.closed, c.Gone...)
		return Content{}, false, left, err
	}
	return c, complete && m.shown, left, nil
}

// Fresh says that the content is new enough: it is shown.
func (m *Mirror) Fresh() (c Content, changed bool) {
	m.hideAt = time.Time{}
	if m.shown || m.version == 0 {
		return c, false
	}
	m.shown = true
	return m.all(), true
}

// HideIn has the content be hidden after a time, unless it is [Mirror.Fresh] before, or is to be hidden sooner.
func (m *Mirror) HideIn(now time.Time, after time.Duration) {
	if at := now.Add(after); m.shown && (m.hideAt.IsZero() || at.Before(m.hideAt)) {
		m.hideAt = at
	}
}

// HideAt is when content is to be hidden; zero is never.
func (m *Mirror) HideAt() time.Time { return m.hideAt }

// Due hides the content, if the time has come. It is still kept, so that little is to be told when the node is back.
func (m *Mirror) Due(now time.Time) (c Content, changed bool) {
	if !m.shown || m.hideAt.IsZero() || now.Before(m.hideAt) {
		return c, false
	}
	m.shown, m.hideAt = false, time.Time{}
	for _, p := range m.order {
		c.Gone = append(c.Gone, p.facts.Page)
	}
	c.Epoch = m.epoch
	m.epoch++ // what is shown next has nothing to do with what was
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

// Page is one of the pages that are shown by its name in the cluster, or nil.
func (m *Mirror) Page(id registry.PageID) *registry.PageSnapshot {
	if p := m.pages[id]; p != nil && m.shown {
		return p.facts
	}
	return nil
}
