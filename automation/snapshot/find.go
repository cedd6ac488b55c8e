package snapshot

import (
	"context"
	"encoding/json"
	"errors"

	"webmcphub/automation/page"
	"webmcphub/automation/snapshot/tree"
	"webmcphub/cdpclient"
)

// Frame names the document that the node is in.
func (e *Known) Frame() page.FrameRef { return page.FrameRef{ID: e.Key.Frame, Loader: e.Key.Loader} }

func (e *Known) session() cdpclient.SessionID { return cdpclient.SessionID(e.Key.Session) }

// Find returns the element that a client means by a uid, after checking that it is still the one that the client was
// shown: in the same document, with the same role and name. If it isn't, the error is a *[StaleError]. If the uid was
// never used here, the error is an *[UnknownError]. If the StaleError says Hidden, Find returns the element too,
// because it may be shown again.
func (t *Tab) Find(ctx context.Context, p *page.Page, client, uid string) (*Known, error) {
	e, err := t.Named(p, client, uid)
	if err != nil {
		return nil, err
	}
	why, err := e.check(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case why == "":
		return e, nil
	case why == hidden:
		return e, t.stale(*e, why)
	}
	return nil, t.stale(*e, why)
}

// Named does the same as Find, but checks only that the element's document is still there. It asks Chrome nothing.
func (t *Tab) Named(p *page.Page, client, uid string) (*Known, error) {
	known, err := t.Lookup(client, uid)
	if err != nil {
		return nil, err
	}
	why, err := known.document(p)
	if why != "" {
		err = t.stale(known, why)
	}
	if err != nil {
		return nil, err
	}
	return &known, nil
}

// document says why the element's document is not the same any more; "" if it is.
func (e *Known) document(p *page.Page) (why string, err error) {
	for _, f := range p.Frames() {
		switch {
		case f.ID != e.Key.Frame:
		case f.Loader != e.Key.Loader:
			return navigated, nil
		case f.Session != e.session():
			return attachedAnew, nil
		case !f.Permitted:
			return "", &page.NotPermitted{Origin: f.Origin}
		default:
			return "", nil
		}
	}
	return frameGone, nil
}

// stale returns the StaleError with the given reason, and with similar elements.
func (t *Tab) stale(known Known, why string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &StaleError{Known: known, Why: why, Hidden: why == hidden, Removed: why == removed,
		Near: t.table.near(known)}
}

// check says why the element isn't the same any more; "" if it is.
func (e *Known) check(ctx context.Context, p *page.Page) (why string, err error) {
	defer func() { // the document may end between two questions
		if errors.As(p.Explain(ctx, e.Frame(), err), new(*page.DocumentGone)) {
			why, err = navigated, nil
		}
	}()
	axSent := p.Send(ctx, e.session(), "Accessibility.getPartialAXTree",
		map[string]any{"backendNodeId": e.Key.Backend, "fetchRelatives": false})
	nodeSent := p.Send(ctx, e.session(), "DOM.describeNode",
		map[string]any{"backendNodeId": e.Key.Backend, "depth": e.Is.Depth(), "pierce": true})
	var ax, node json.RawMessage
	err = axSent.Wait(ctx, &ax)
	if nodeErr := nodeSent.Wait(ctx, &node); err == nil {
		err = nodeErr
	}
	var now tree.Element
	if err == nil {
		now, err = e.identify(ctx, p, ax, node)
	}
	if err != nil || !now.There {
		if why, lost := e.connected(ctx, p); why != "" || lost != nil {
			return why, lost
		}
	}
	if err != nil {
		return "", err
	}
	if why, err := e.document(p); why != "" || err != nil {
		return why, err // a node of another document may have the same number
	}
	switch {
	case e.Is.Same(now.Identity):
		return "", nil
	case !now.There && e.Is.Element == now.Element && (e.Is.Text == "" || e.Is.Text == now.Identity.Text):
		return hidden, nil
	case !now.There:
		return hidden + ", and something else than it was", nil
	}
	is := Label{now.Role, now.Name}
	if e.Is.Text != "" {
		is.Name = now.Text
		if e.Is.Role == now.Role {
			is.Role = e.Label.Role
		}
	}
	return "it is now " + is.String(), nil
}

// These bound how many nodes of the light tree identify asks for, for one element in a shadow tree, and in how many
// rounds: a slot may show a slot.
const maxSlotted, maxSlottedRounds = 500, 10

// identify says what the element is now, by Chrome's answers. If the element's name comes from its text, identify
// also asks for the nodes of the light tree that the element shows through slots.
func (e *Known) identify(ctx context.Context, p *page.Page, ax, node json.RawMessage) (tree.Element, error) {
	var described tree.Description
	if err := described.Add(node); err != nil {
		return tree.Element{}, err
	}
	requested := 0
	for range maxSlottedRounds {
		missing := described.Missing()
		if e.Is.Depth() == 0 || len(missing) == 0 || requested+len(missing) > maxSlotted {
			break
		}
		requested += len(missing)
		var sent []page.Sent
		for _, backend := range missing {
			sent = append(sent, p.Send(ctx, e.session(), "DOM.describeNode",
				map[string]any{"backendNodeId": backend, "depth": e.Is.Depth(), "pierce": true}))
		}
		for _, s := range sent {
			var node json.RawMessage
			err := s.Wait(ctx, &node)
			if refusal := (*cdpclient.Error)(nil); errors.As(err, &refusal) {
				continue // it has just been removed
			}
			if err == nil {
				err = described.Add(node)
			}
			if err != nil {
				return tree.Element{}, err
			}
		}
	}
	return tree.Identify(ax, &described)
}

// connected says why the element is no longer in its document; "" if it is.
func (e *Known) connected(ctx context.Context, p *page.Page) (why string, err error) {
	object, err := p.Resolve(ctx, e.Frame(), e.Key.Backend)
	if gone := (*page.NodeGone)(nil); errors.As(err, &gone) {
		return removed, nil
	}
	if err != nil {
		return "", err
	}
	defer p.Release(e.Frame(), object)
	connected := false
	err = p.CallOn(ctx, e.session(), object, "function () { return this.isConnected }")(&connected)
	if err == nil && !connected {
		return removed, nil
	}
	return "", err
}
