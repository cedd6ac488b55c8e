package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// List is what an agent has listed, of the tools that the pages of a fleet have.
type List struct {
	Names    map[string]string // the server's, by the pages' own
	Versions map[string]int    // by the pages' own
	Doubles  []string          // pages' own names that are listed more than once
	Bytes    int
}

var (
	ownName   = regexp.MustCompile(`(?:^|_)(k\d+_[a-z0-9]+)$`)
	versionIn = regexp.MustCompile(`version (\d+)\.`)
)

// List lists all tools, however many requests that takes.
func (a *Agent) List(ctx context.Context) (*List, error) {
	list := &List{Names: map[string]string{}, Versions: map[string]int{}}
	for cursor, more := "", true; more; more = cursor != "" {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, err := a.ask(ctx, "tools/list", "", params)
		if err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		if cursor, err = list.add(raw); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// add takes a result in, and gives the cursor of what follows.
func (l *List) add(raw json.RawMessage) (next string, err error) {
	var r struct {
		Tools      []struct{ Name, Description string }
		NextCursor string
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", fmt.Errorf("a list can't be read: %w", err)
	}
	l.Bytes += len(raw)
	for _, t := range r.Tools {
		own := ownName.FindStringSubmatch(t.Name)
		if own == nil {
			continue // the server's own
		}
		if _, there := l.Names[own[1]]; there {
			l.Doubles = append(l.Doubles, own[1])
		}
		v := versionIn.FindStringSubmatch(t.Description)
		if v == nil {
			return "", fmt.Errorf("the description of %s has no version: %.100q", t.Name, t.Description)
		}
		l.Names[own[1]] = t.Name
		l.Versions[own[1]], _ = strconv.Atoi(v[1])
	}
	return r.NextCursor, nil
}

// Against says how many tools are missing, of another version, too many or there twice, nil if
// none is; the first few are named.
func (l *List) Against(truth map[string]int) error {
	n, which := 0, []string(nil)
	add := func(what, name string) {
		if n++; len(which) < 5 {
			which = append(which, what+" "+name)
		}
	}
	for _, own := range slices.Sorted(maps.Keys(truth)) {
		switch v, there := l.Versions[own]; {
		case !there:
			add("missing:", own)
		case v != truth[own]:
			add("stale:", own)
		}
	}
	for _, own := range slices.Sorted(maps.Keys(l.Versions)) {
		if _, there := truth[own]; !there {
			add("too many:", own)
		}
	}
	for _, own := range l.Doubles {
		add("twice:", own)
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d tools are wrong in a list of %d (%s)", n, len(truth), len(l.Versions),
		strings.Join(which, ", "))
}

// ToolFailed is the result of a call that isn't a good one.
type ToolFailed struct{ Text string }

func (t *ToolFailed) Error() string { return fmt.Sprintf("the result is an error: %.300s", t.Text) }

// Call calls a tool by the server's name for it, and gives the text of the result. The error is
// [ToolFailed] or [Refused] where the server answered. Without a name nothing is called: the tool
// isn't listed.
func (a *Agent) Call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	if name == "" {
		return "", errors.New("the tool isn't listed")
	}
	raw, err := a.ask(ctx, "tools/call", name, map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return "", err
	}
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", fmt.Errorf("a result can't be read: %w", err)
	}
	var texts []string
	for _, c := range r.Content {
		texts = append(texts, c.Text)
	}
	text := strings.Join(texts, "\n")
	if r.IsError {
		return "", &ToolFailed{text}
	}
	return text, nil
}

// Listen calls changed at the beginning, and each time the server says that the list has
// changed, until ctx ends or the stream breaks.
func (a *Agent) Listen(ctx context.Context, changed func()) error {
	r, err := a.subscribe(ctx)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return &Refused{Status: r.StatusCode, Text: "no stream of changes is given"}
	}
	changed()
	return events(r.Body, func(data []byte) bool {
		if bytes.Contains(data, []byte(`"notifications/tools/list_changed"`)) {
			changed()
		}
		return true
	})
}

func (a *Agent) subscribe(ctx context.Context) (*http.Response, error) {
	if a.manner == Modern {
		return a.post(ctx, "subscriptions/listen", "", a.ids.Add(1),
			map[string]any{"notifications": map[string]any{"toolsListChanged": true}})
	}
	if err := a.begin(ctx); err != nil {
		return nil, err
	}
	req, err := a.request(ctx, http.MethodGet, "/mcp", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", string(Session))
	return a.client.Do(req)
}
