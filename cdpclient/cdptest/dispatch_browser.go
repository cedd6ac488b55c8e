package cdptest

import (
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/cdpclient"
)

// Commands that the browser process answers, whatever the renderer does.

func getVersion(*session, json.RawMessage) (any, func(), error) {
	return cdpclient.BrowserVersion{ProtocolVersion: "1.3", Product: "HeadlessChrome/156.0.0.0", UserAgent: "cdptest",
		JSVersion: "15.6"}, nil, nil
}

func browserClose(s *session, _ json.RawMessage) (any, func(), error) {
	b := s.conn.b
	return nil, func() { go b.Die() }, nil
}

func setDiscoverTargets(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.SetDiscoverTargetsParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	c := s.conn
	was := c.discover
	c.discover, c.filter = p.Discover, p.Filter
	if p.Discover && !was {
		for _, t := range c.b.known() {
			if matches(p.Filter, t.kind) {
				c.root.emit(cdpclient.TargetTargetCreated, cdpclient.TargetInfoChanged{TargetInfo: t.info()})
			}
		}
	}
	return nil, nil, nil
}

func setAutoAttach(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.SetAutoAttachParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	if p.AutoAttach && !p.Flatten {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams,
			Message: "Only flatten protocol is supported"}
	}
	targets := s.conn.b.known()
	if s.target != nil {
		targets = s.target.kidTargets()
	}
	s.auto = &p
	if !p.AutoAttach {
		s.auto = nil
	}
	for _, t := range slices.Clone(targets) {
		if s.auto != nil && matches(p.Filter, t.kind) {
			s.attach(t, false) // it is there already: nothing to hold
		} else if old, ok := s.conn.sessionOn(t); ok && old.parent == s {
			old.detach()
		}
	}
	return nil, nil, nil
}

func getTargets(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ Filter []cdpclient.TargetFilterEntry }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	infos := []any{}
	at := map[int]int{} // the next index of each window's tab strip
	for _, t := range s.conn.b.targets {
		if matches(p.Filter, t.kind) {
			infos = append(infos, t.info())
		}
		if t.page == nil || t.isIframe() {
			continue
		}
		if matches(p.Filter, cdpclient.TypeTab) && len(p.Filter) > 0 {
			infos = append(infos, obj{"targetId": "TAB" + t.id, "type": cdpclient.TypeTab, "title": t.title,
				"url":          t.url,
				"embedderData": obj{"tabActive": false, "tabPinned": false, "tabStripIndex": at[t.page.window]}})
		}
		at[t.page.window]++
	}
	return obj{"targetInfos": infos}, nil, nil
}

func getWindowForTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ TargetID string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	t := s.conn.b.target(strings.TrimPrefix(p.TargetID, "TAB"))
	if t == nil || t.page == nil {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeServerError,
			Message: "No web contents for the given target id"}
	}
	return obj{"windowId": 1000 + t.page.window, "bounds": obj{"windowState": "normal"}}, nil, nil
}

func getBrowserContexts(*session, json.RawMessage) (any, func(), error) {
	return obj{"browserContextIds": []any{}, "defaultBrowserContextId": ownContext}, nil, nil
}

// getTargetInfo tells of the session's own target.
func getTargetInfo(s *session, _ json.RawMessage) (any, func(), error) {
	if s.target == nil {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No target with given id found"}
	}
	return obj{"targetInfo": s.target.info()}, nil, nil
}

func createTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ URL string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	if p.URL == "" {
		p.URL = "about:blank"
	}
	return obj{"targetId": s.conn.b.open(p.URL, nil).t.id}, nil, nil
}

func closeTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ TargetID string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	t := s.conn.b.target(p.TargetID)
	if t == nil || t.page == nil {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No target with given id found"}
	}
	return obj{"success": true}, t.page.close, nil
}

func attachToTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ TargetID string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	t := s.conn.b.target(p.TargetID)
	if t == nil {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No target with given id found"}
	}
	return cdpclient.SessionParams{SessionID: s.join(t, false).id}, nil, nil
}

func detachFromTarget(s *session, params json.RawMessage) (any, func(), error) {
	var p cdpclient.SessionParams
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	old := s.conn.sessions[p.SessionID]
	if old == nil || old.parent != s {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No session with given id"}
	}
	old.detach()
	return nil, nil, nil
}

func pageNavigate(s *session, params json.RawMessage) (any, func(), error) {
	var p struct{ URL string }
	if err := decode(params, &p); err != nil {
		return nil, nil, err
	}
	if s.target == nil || s.target.isIframe() {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: "Not allowed"}
	}
	page := s.target.page
	doc := page.begin(p.URL, "differentDocument")
	return cdpclient.NavigateResult{FrameID: s.target.id, LoaderID: doc.loader}, func() {
		page.commit(doc, "differentDocument")
		s.target.root.load()
	}, nil
}

func pageReload(s *session, _ json.RawMessage) (any, func(), error) {
	if s.target == nil || s.target.isIframe() {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: "Not allowed"}
	}
	page := s.target.page
	doc := page.begin(s.target.url, "reload")
	return nil, func() {
		page.commit(doc, "reload")
		s.target.root.load()
	}, nil
}

func handleDialog(s *session, params json.RawMessage) (any, func(), error) {
	if s.target == nil || s.target.blocked != "dialog" {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeInvalidParams, Message: "No dialog is showing"}
	}
	t := s.target
	return nil, t.dialogClosed, nil
}

func (t *target) dialogClosed() {
	t.emitPage(cdpclient.PageJavascriptDialogClosed, obj{"frameId": t.id, "result": true, "userInput": ""})
	t.unblock()
}

func pageClose(s *session, _ json.RawMessage) (any, func(), error) {
	if s.target == nil || s.target.isIframe() {
		return nil, nil, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: "Not allowed"}
	}
	return nil, s.target.page.close, nil
}
