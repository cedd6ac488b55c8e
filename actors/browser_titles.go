package actors

import (
	"context"
	"encoding/json"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Chrome announces few of the titles that scripts set, but knows them all. So it
// is asked when somebody wants to read them, and at no other time.

// listPages is for Target.getTargets.
type listPages struct {
	Filter []cdpclient.TargetFilterEntry `json:"filter"`
}

type listedPages struct {
	TargetInfos []cdpclient.TargetInfo `json:"targetInfos"`
}

// Titles asks Chrome which titles its tabs show now. The catalog follows.
// Browsers that are reached by their extension tell each title by themselves.
func (h *Hub) Titles(ctx context.Context) (map[registry.PageID]string, error) {
	var listed listedPages
	pages := listPages{[]cdpclient.TargetFilterEntry{{Type: cdpclient.TypePage}}}
	if err := h.order(ctx, cdpclient.TargetGetTargets, pages, &listed); err != nil {
		return nil, err
	}
	titles := make(map[registry.PageID]string, len(listed.TargetInfos))
	for _, info := range listed.TargetInfos {
		titles[registry.PageID(info.TargetID)] = info.Title
	}
	return titles, nil
}

// titled tells the tabs what Chrome has listed.
func (b *browserActor) titled(list json.RawMessage) {
	var listed listedPages
	if json.Unmarshal(list, &listed) != nil {
		return
	}
	for _, info := range listed.TargetInfos {
		if t := b.pages[registry.PageID(info.TargetID)]; t != nil {
			t.info.Title = info.Title
			b.hub.root.Send(t.to.PID, tab.TitleListed{Title: info.Title})
		}
	}
}

// infoIs takes what Chrome says of a page's target.
func (b *browserActor) infoIs(t *cdpTab, info cdpclient.TargetInfo) {
	t.info = info
	t.intake.NewInfo(b.hub.root, t.to, tab.Info{URL: info.URL, Title: info.Title})
}
