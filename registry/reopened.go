package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TabsReopened says what became of the tabs of a Chrome that crashed, once another one runs. Browser is as in
// [PageOpened]. The PageOpened events of the new tabs come before it.
type TabsReopened struct {
	Browser string
	Tabs    []ReopenedTab // in tab order
}

// ReopenedTab is a tab that was open when Chrome crashed.
type ReopenedTab struct {
	Was, Is PageID
	Why     string // why the tab was not opened again; "" if it was
}

// Announce asks to tell every client a text once.
type Announce struct{ Text string }

func (TabsReopened) event() {}
func (Announce) effect()    {}

// maxClosedNamed is how many tabs the text names that were not opened again for one reason.
const maxClosedNamed = 20

// tabsReopened returns the text for clients.
func (s *State) tabsReopened(e TabsReopened) Announce {
	var text strings.Builder
	text.WriteString("Chrome crashed")
	if e.Browser != "" {
		text.WriteString(" (browser " + e.Browser + ")")
	}
	text.WriteString(" and was started again.")
	var back, reasons []string
	closed := map[string][]string{} // the tabs' numbers, by reason
	for _, t := range e.Tabs {
		was := s.numberOf(t.Was)
		switch is := s.numberOf(t.Is); {
		case was == 0:
		case t.Why == "" && is != 0:
			back = append(back, fmt.Sprintf("tab %d is now tab %d", was, is))
		default:
			why := cmp.Or(t.Why, "it was closed at once")
			if closed[why] == nil {
				reasons = append(reasons, why)
			}
			closed[why] = append(closed[why], strconv.Itoa(int(was)))
		}
	}
	if len(back) > 0 {
		text.WriteString(" Tabs were opened again by their addresses: " + strings.Join(back, ", ") +
			". Lost are what was entered in them, " +
			"their history, session storage, focus and exclusive use; their uids mean nothing any more.")
	}
	for _, why := range reasons {
		tabs, more := closed[why], ""
		if n := len(tabs) - maxClosedNamed; n > 0 {
			tabs, more = slices.Clone(tabs[:maxClosedNamed]), fmt.Sprintf(" and %d more", n)
		}
		text.WriteString(" Not opened again: tab " + strings.Join(tabs, ", ") + more + " (" + why + ").")
	}
	return Announce{text.String()}
}

// numberOf returns the number of a page that is open or was open recently; 0 if it isn't known.
func (s *State) numberOf(id PageID) TabID {
	if p := s.pages[id]; p != nil {
		return p.Tab
	}
	return cmp.Or(s.numbers.recent[id], s.numbers.earlier[id]).Tab
}
