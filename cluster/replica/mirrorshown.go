package replica

import (
	"webmcphub/cluster/wire"
	"webmcphub/registry"
)

// Content is all that is shown, as for somebody who knows nothing yet.
func (m *Mirror) Content() Content {
	if !m.shown {
		return Content{}
	}
	return m.all()
}

// all is the content, be it shown or kept back.
func (m *Mirror) all() Content {
	c := Content{Epoch: m.epoch, Browsers: m.browsers, Lives: m.lives}
	for _, p := range m.order {
		c.Pages = append(c.Pages, p.facts)
	}
	return c
}

// Page is one of the node's pages by its name in the cluster, or nil.
func (m *Mirror) Page(id registry.PageID) *registry.Facts {
	if p := m.pages[id]; p != nil && m.shown {
		return p.facts
	}
	return nil
}

// Known says that the content is what the node has, as far as is known.
func (m *Mirror) Known() bool { return m.fresh }

// At is the node's position that the content is of; zero if there is none.
func (m *Mirror) At() wire.Position {
	if !m.shown {
		return wire.Position{}
	}
	return m.at
}
