package automation

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestRoundTrips holds how many commands each tool sends to Chromium for a small page, and in how many round trips.
// Each trip takes Chromium half a millisecond at least, and each command costs both sides processor time. A tool that
// needs more than it did fails here; write down what it needs less.
func TestRoundTrips(t *testing.T) {
	r := openAlone(t, automationtest.Pages{
		"/": `<!doctype html><title>Small</title><button>Save</button><label>Name <input></label>
			<label>Day <input type=date></label><label>Agree <input type=checkbox></label>
			<label>Again <select><option>true<option>false</select></label><label>File <input type=file></label><p>done`,
		"/other": `<title>Other</title>`,
	})
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("FILE", file, "HERE", r.Site.URL("a", "/"))
	for _, c := range []struct {
		tool, args      string
		commands, trips int
	}{
		{"take_snapshot", `{}`, 2, 1},
		{"take_screenshot", `{}`, 3, 2},
		{"take_screenshot", `{"uid":"Save"}`, 9, 6},
		{"evaluate_script", `{"function":"() => 1"}`, 2, 2},
		{"evaluate_script", `{"function":"e => e.id","args":["Save"]}`, 6, 4},
		{"click", `{"uid":"Save"}`, 11, 5},
		{"hover", `{"uid":"Save"}`, 10, 5},
		{"drag", `{"from_uid":"Save","x":30,"y":0}`, 25, 19},
		{"fill", `{"uid":"Name","value":"Ada"}`, 11, 6},
		{"fill", `{"uid":"Day","value":"2026-01-31"}`, 8, 4},
		{"fill", `{"uid":"Agree","value":"VALUE"}`, 13, 7},
		{"fill", `{"uid":"Again","value":"VALUE"}`, 8, 4},
		{"fill_form", `{"elements":[{"uid":"Name","value":"Ada"},{"uid":"Day","value":"2026-01-31"}]}`, 19, 11},
		{"press_key", `{"key":"a"}`, 5, 3},
		{"press_key", `{"key":"a","uid":"Name"}`, 10, 5},
		{"upload_file", `{"uid":"File","filePaths":["FILE"]}`, 11, 6},
		{"wait_for", `{"text":["done"]}`, 1, 1},
		{"navigate_page", `{"url":"HERE"}`, 2, 2},
		{"navigate_page", `{"url":"HERE#part"}`, 2, 2},
		{"list_pages", `{}`, 0, 0},
		{"select_page", `{"pageId":1}`, 0, 0},
		{"emulate", `{"colorScheme":"dark"}`, 0, 0},
		{"list_console_messages", `{}`, 0, 0},
		{"list_network_requests", `{}`, 0, 0},
	} {
		args := names.Replace(c.args)
		for _, name := range []string{"Save", "Name", "Day", "Agree", "Again", "File"} {
			if strings.Contains(args, `"`+name+`"`) {
				args = strings.ReplaceAll(args, `"`+name+`"`, `"`+r.uid(name)+`"`)
			}
		}
		value := false
		// The script at the end is sent after commands that the tool doesn't wait for. It adds one command and one trip.
		want := automationtest.Traffic{Commands: c.commands + 1, Trips: c.trips + 1}
		is := automationtest.TrafficOf(t, want, func() {
			value = !value
			args := strings.ReplaceAll(args, "VALUE", strconv.FormatBool(value))
			if answer := r.call(c.tool, args); answer.IsError {
				t.Fatalf("%s(%s): %s", c.tool, args, answer.Text)
			}
			js[int](r, "1")
		})
		if is != want {
			t.Errorf("%s(%s) sends %d commands in %d round trips, want %d in %d", c.tool, c.args, is.Commands-1, is.Trips-1, c.commands, c.trips)
		}
	}
}
