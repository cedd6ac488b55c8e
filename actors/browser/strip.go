package browser

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"webmcphub/actors/supervisor"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Chrome announces the tabs that were open before the hub came in no particular order. So the Actor keeps these
// events until all have come. Then it takes up the tabs in the order of the tab strip, window by window, in the order
// in which the windows were opened. Chrome reports a tab's position only for targets of type "tab" (since about 2025;
// before that, the order stays Chrome's). Such a target is matched with a page by address and title. Tabs with the
// same address and title are in no particular order among themselves.

// tabStrip has what the Actor knows of the tab strip while the hub connects.
type tabStrip struct {
	gathering bool
	kept      []cdpclient.Event
	places    []tabPlace
	windows   bool                 // Chrome has been asked in which window each tab is
	before    []registry.TabBefore // tabs of an earlier hub, which keep their order
}

type tabPlace struct {
	target        cdpclient.TargetInfo
	window, index int
}

// stripReply tags the reply that lists the tab targets. windowReply tags a reply that says in which window one is.
// gatheredReply tags the reply after the last of these.
type (
	stripReply    struct{}
	windowReply   struct{ place int }
	gatheredReply struct{}
)

// askStrip asks for the tab strip, before Chrome is asked to announce its pages.
func (b *Actor) askStrip() {
	b.strip = tabStrip{gathering: true, before: b.before.Tabs}
	b.conn.Post("", cdpclient.TargetGetTargets, json.RawMessage(`{"filter":[{"type":"tab"}]}`), stripReply{})
}

func (b *Actor) stripped(r cdpclient.Reply) {
	var reply struct {
		TargetInfos []struct {
			cdpclient.TargetInfo
			EmbedderData struct{ TabStripIndex *int }
		}
	}
	if r.Err != nil || json.Unmarshal(r.Result, &reply) != nil {
		return
	}
	taken := map[int]bool{}
	for _, t := range reply.TargetInfos {
		if at := t.EmbedderData.TabStripIndex; at != nil && t.Type == cdpclient.TypeTab {
			b.strip.places = append(b.strip.places, tabPlace{target: t.TargetInfo, index: *at})
			b.strip.windows = b.strip.windows || taken[*at]
			taken[*at] = true
		}
	}
	if !b.strip.windows {
		return
	}
	for i, place := range b.strip.places {
		b.conn.Post("", "Browser.getWindowForTarget", map[string]string{"targetId": place.target.TargetID},
			windowReply{i})
	}
}

func (b *Actor) windowIs(r cdpclient.Reply, place int) {
	var reply struct{ WindowID int }
	if r.Err == nil && json.Unmarshal(r.Result, &reply) == nil && place < len(b.strip.places) {
		b.strip.places[place].window = reply.WindowID
	}
}

// gather keeps an event until all tabs have been announced, and says whether it has kept it.
func (b *Actor) gather(e cdpclient.Event) bool {
	if b.strip.gathering {
		b.strip.kept = append(b.strip.kept, e)
	}
	return b.strip.gathering
}

// gathered takes up the tabs that Chrome announced. If the Actor has asked for windows, gathered first waits for the
// answers: it sends one more command, to which Chrome replies after them.
func (b *Actor) gathered(last bool) {
	if b.strip.windows && !last {
		b.conn.Post("", cdpclient.BrowserGetVersion, nil, gatheredReply{})
		return
	}
	b.strip.gathering, b.strip.kept = false, b.strip.inOrder()
	for len(b.strip.kept) > 0 { // one at a time, in case handling one of them panics
		e := b.strip.kept[0]
		b.strip.kept = b.strip.kept[1:]
		b.event(e)
	}
	b.strip = tabStrip{}
	b.ready = true
	b.forgetChoices()
	b.answerWaiting(supervisor.Answer{Info: b.info})
}

// inOrder returns the kept events in order. Events that announce tabs come first, in the order of the tab strip.
func (s tabStrip) inOrder() []cdpclient.Event {
	slices.SortStableFunc(s.places, func(a, b tabPlace) int {
		return cmp.Or(cmp.Compare(a.window, b.window), cmp.Compare(a.index, b.index))
	})
	type shown struct{ url, title string }
	ranks, rankOf := map[shown][]int{}, map[string]int{} // rankOf is by target id
	for i, t := range s.before {
		rankOf[string(t.Page)] = i - len(s.before)
	}
	for rank, place := range s.places {
		key := shown{place.target.URL, place.target.Title}
		ranks[key] = append(ranks[key], rank)
	}
	type ranked struct {
		rank int
		cdpclient.Event
	}
	const new, after = math.MaxInt - 1, math.MaxInt // for tabs that the list lacks, and for events that announce none
	all := make([]ranked, len(s.kept))
	type coming struct{ method, target string }
	came := map[coming]bool{}
	for i, e := range s.kept {
		all[i] = ranked{after, e}
		var of cdpclient.TargetInfoChanged // as in attachedToTarget
		if e.Method != cdpclient.TargetAttachedToTarget && e.Method != cdpclient.TargetTargetCreated ||
			json.Unmarshal(e.Params, &of) != nil {
			continue
		}
		page := of.TargetInfo
		if c := (coming{e.Method, page.TargetID}); came[c] { // the same tab again, after it was closed
			continue
		} else {
			came[c] = true
		}
		rank, known := rankOf[page.TargetID] // from the tab's other event
		key := shown{page.URL, page.Title}
		if r := ranks[key]; !known {
			rank = new
			if len(r) > 0 && page.Type == cdpclient.TypePage {
				rank, ranks[key] = r[0], r[1:]
			}
			rankOf[page.TargetID] = rank
		}
		all[i].rank = rank
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	events := make([]cdpclient.Event, len(all))
	for i, e := range all {
		events[i] = e.Event
	}
	return events
}
