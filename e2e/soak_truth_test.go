package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// quiet waits, after each list_changed, for the list that the pages themselves
// would give, and makes sure that it stays.
func (s *soak) quiet() {
	s.t.Helper()
	s.awaitCalls()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		listed := s.listing()
		truth := s.truth()
		if slices.Equal(listed, truth) && s.stays(truth) {
			s.quiets++
			return
		}
		select {
		case <-s.h.changed:
		case <-deadline.C:
			now := s.truth()
			s.t.Fatalf("waited %v for the list to be what the pages offer (tabs %s).\nafter the last list_changed: %s\nafter a list without one: %s\nthe truth changed meanwhile: %v\nthe tabs that Chrome has: %v",
				patience, s.tabNumbers(), difference(listed, truth), difference(s.listing(), now), !slices.Equal(truth, now), s.chromesTabs())
		}
	}
}

// stays lists once more, when all pages have been asked again. It's false when
// a page has changed after all.
func (s *soak) stays(truth []string) bool {
	s.t.Helper()
	if !slices.Equal(s.truth(), truth) {
		poke(s.h.changed) // the list may have been asked for before the change
		return false
	}
	listed := s.listing()
	if slices.Equal(listed, truth) {
		return true
	}
	if !slices.Equal(s.truth(), truth) {
		poke(s.h.changed)
		return false
	}
	s.t.Fatalf("the list was right and is no longer, though no page changed:\n%s", difference(listed, truth))
	return false
}

// truth is what all pages offer by their own words, as "page idx says".
func (s *soak) truth() (all []string) {
	s.t.Helper()
	for i, p := range s.tabs {
		value, err := p.ask("truth()")
		if errors.Is(err, errCrashed) {
			continue
		}
		p.must(err)
		var truth struct {
			Says, Refused []string
			Dead          int
		}
		p.must(json.Unmarshal(value, &truth))
		for _, says := range truth.Says {
			if said, _ := parseSays(says); said.tab != p.number {
				s.t.Errorf("tab %d has been led to another's page: %s", p.number, says)
			}
			all = append(all, fmt.Sprintf("page %d: %s", i, says))
		}
		for _, why := range truth.Refused {
			s.t.Errorf("a tool was refused: %s", why)
		}
	}
	slices.Sort(all)
	return all
}

// listing is what the hub lists, in the same words. Names are checked on the way:
// a suffix is for the tools of a page's frames that would have one name.
func (s *soak) listing() (all []string) {
	s.t.Helper()
	seen := map[string]bool{}
	for _, tool := range s.list() {
		m := soakName.FindStringSubmatch(tool.Name)
		if m == nil {
			continue
		}
		_, text, _ := strings.Cut(tool.Description, "] ")
		text = soakFrame.ReplaceAllString(text, "")
		all = append(all, "page "+m[2]+": "+text)
		if said := saidBy(tool); m[1] != pages.port() || m[3] != said.tool || seen[tool.Name] {
			s.t.Errorf("%s is the name of %q", tool.Name, tool.Description)
		}
		seen[tool.Name] = true
	}
	for _, tool := range s.listed {
		if m := soakName.FindStringSubmatch(tool.Name); m != nil && m[4] != "" && !seen[strings.TrimSuffix(tool.Name, m[4])] {
			s.t.Errorf("%s has a suffix for nothing", tool.Name)
		}
	}
	slices.Sort(all)
	return all
}

// soakFrame is what a tool's description says of a frame of another origin.
var soakFrame = regexp.MustCompile(`^\[frame of http://(localhost|127\.0\.0\.1):\d+\] `)

var soakName = regexp.MustCompile(`^webmcp_localhost_(\d+)_page(\d+)_([a-z0-9]+)(_[0-9a-f]{6})?$`)

func (s *soak) tabNumbers() string {
	var numbers []string
	for _, p := range s.tabs {
		text := fmt.Sprint(p.number)
		if p.hasCrashed() {
			text += " (crashed)"
		}
		numbers = append(numbers, text)
	}
	return strings.Join(numbers, ", ")
}

type targetInfo struct{ TargetID, Type, URL string }

// chromesTabs are those that Chrome says it has.
func (s *soak) chromesTabs() []targetInfo {
	s.t.Helper()
	var reply struct{ TargetInfos []targetInfo }
	if err := s.c.withPatience("", "Target.getTargets", nil, &reply); err != nil {
		s.t.Fatal(err)
	}
	return slices.DeleteFunc(reply.TargetInfos, func(info targetInfo) bool { return info.Type != "page" })
}

// difference says what is listed and shouldn't be, and the other way round.
func difference(listed, truth []string) string {
	var b strings.Builder
	for _, l := range listed {
		if !slices.Contains(truth, l) {
			b.WriteString("\n  stale: " + l)
		}
	}
	for _, w := range truth {
		if !slices.Contains(listed, w) {
			b.WriteString("\n  lost: " + w)
		}
	}
	if b.Len() == 0 {
		return "it's right"
	}
	return b.String()
}
