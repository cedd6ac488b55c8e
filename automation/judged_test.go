package automation

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/internal/browsertool"
	"webmcphub/registry"
)

// judged is a call by a client about whose calls somebody decides.
type judged struct {
	real
	mu      sync.Mutex
	denied  string   // an origin where nothing may be done
	actions []string // origins that were decided about
	reads   []string // of the last call
	roots   func() []string
}

func (j *judged) does(tool, args string) *Result {
	j.reads = nil
	client := j.client
	client.Roots = func(context.Context) ([]string, error) {
		if j.roots == nil {
			return nil, errors.New("none")
		}
		return j.roots(), nil
	}
	return j.service.Call(j.t.Context(), browsertool.Call{Tool: tool, Args: json.RawMessage(args), Client: client, Progress: func(string) {}, About: func(*registry.Tab) {},
		Judge: func(_ context.Context, d browsertool.Action) error {
			at := d.Frame
			if at == "" && d.Tab != nil {
				at = d.Tab.Origin
			}
			j.mu.Lock()
			defer j.mu.Unlock()
			if j.actions = append(j.actions, at); at == j.denied {
				return errors.New("not there")
			}
			return nil
		},
		Reads: func(origins []string) { j.reads = origins }})
}

// Nothing is done, or told, where that was refused; see judging_test.go for the rest.
func TestCallsKeepToWhatWasDecided(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, pages automationtest.Pages) *judged {
		j := &judged{real: openReal(t, pages)}
		j.denied = strings.TrimSuffix(j.Site.URL("b", "/"), "/")
		return j
	}
	t.Run("records of documents before", func(t *testing.T) {
		j := open(t, automationtest.Pages{"/": `<p>a`, "/bank": `<h1>x4711</h1><script>console.log("bank says x4711")</script>`, "/after": `<p>shop`})
		j.call("navigate_page", `{"url":"`+j.Site.URL("b", "/bank")+`"}`)
		j.call("navigate_page", `{"url":"`+j.Site.URL("a", "/after")+`"}`)
		id := ""
		for line := range strings.Lines(j.call("list_network_requests", `{"includePreservedRequests":true}`).Text) {
			if _, rest, found := strings.Cut(line, "reqid="); found && strings.Contains(line, "/bank") {
				id = strings.Fields(rest)[0]
			}
		}
		calls := map[string]string{"list_console_messages": `{"includePreservedMessages":true}`, "list_network_requests": `{"includePreservedRequests":true}`, "get_network_request": `{"reqid":` + id + `}`}
		for tool, args := range calls {
			if got := j.does(tool, args); got.IsError != (tool == "get_network_request") || strings.Contains(got.Text, "x4711") || strings.Contains(got.Text, "/bank") {
				t.Errorf("%s says %s", tool, got.Text)
			}
		}
		bank := j.denied
		j.denied = ""
		for tool, args := range calls {
			if got := j.does(tool, args); got.IsError || !slices.Contains(j.reads, bank) {
				t.Errorf("%s has read %q: %s", tool, j.reads, got.Text)
			}
		}
		if got := j.does("list_console_messages", `{}`); got.IsError || slices.Contains(j.reads, bank) {
			t.Errorf("of this document it has read %q: %s", j.reads, got.Text)
		}
	})
	t.Run("keys where the focus is", func(t *testing.T) {
		j := open(t, automationtest.Pages{"/": `<input id=own><iframe id=f src="{{b}}/frame"></iframe>`, "/frame": `<input id=i autofocus><script>onmessage = () => i.focus(); n = 0; addEventListener("keydown", () => n++)</script>`})
		js[any](j.real, `own.focus()`)
		if got := j.does("press_key", `{"key":"x"}`); got.IsError || js[string](j.real, "own.value") != "x" {
			t.Errorf("in the page itself: %s", got.Text)
		}
		js[any](j.real, `f.focus(), f.contentWindow.postMessage(1, "*"), new Promise(r => setTimeout(r, 300))`)
		if got := j.does("press_key", `{"key":"x"}`); !got.IsError || !strings.Contains(got.Text, "ot there") {
			t.Errorf("in the frame, decided about %q: %s", j.actions, got.Text)
		}
	})
}
