package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver/wire"
)

// usable wants the tab to work as before: it is seen, it obeys, and nothing of the test is
// left in the way.
func (o *one) usable() {
	o.t.Helper()
	o.look()
	o.says("click", o.filled(`{"uid":"<Save>"}`), "Clicked")
	if got := o.call("evaluate_script", `{"function":"() => document.title"}`); got.Text != `"saved"` {
		o.t.Errorf("after the click the title is: %s", got.Text)
	}
}

// uses is a call of each way to name an element, with <uid> for its uid.
var usesOfUIDs = []struct{ tool, args string }{
	{"click", `{"uid":"<uid>"}`},
	{"hover", `{"uid":"<uid>"}`},
	{"drag", `{"from_uid":"<uid>","to_uid":"<Save>"}`},
	{"drag", `{"from_uid":"<Save>","to_uid":"<uid>"}`},
	{"fill", `{"uid":"<uid>","value":"x"}`},
	{"fill_form", `{"elements":[{"uid":"<uid>","value":"x"}]}`},
	{"press_key", `{"uid":"<uid>","key":"a"}`},
	{"upload_file", `{"uid":"<uid>","filePaths":["<path>"]}`},
	{"take_snapshot", `{"root":"<uid>"}`},
	{"take_screenshot", `{"uid":"<uid>"}`},
	{"evaluate_script", `{"function":"e => e.click()","args":["<uid>"]}`},
}

// TestUIDsOfOtherPages: a uid of another tab, of another client's tab, of no tab, and text
// that is no uid, in each place where one may be given. Nothing is done, in no tab.
func TestUIDsOfOtherPages(t *testing.T) {
	t.Parallel()
	b := newManyTabs(t, aPage)
	s := New(Options{Browser: b, Categories: Categories()})
	defer s.Close()
	mine, other, anothers := b.open(s, "1", "/"), b.open(s, "1", "/"), b.open(s, "2", "/")
	for _, o := range []*one{other, anothers, mine} {
		s.selects(&o.client, o.tab)
		o.look()
	}
	foreign := []string{other.uids["Save"], anothers.uids["Save"], "zz9", "1_17", "", " ", "a0", "a999999999999999999999", "\u202e\x00", "<img src=x>", strings.Repeat("é", 50_000)}
	if slices.Contains(foreign, mine.uids["Save"]) {
		t.Fatalf("two tabs have the uid %s", mine.uids["Save"])
	}
	for _, use := range usesOfUIDs {
		for _, uid := range foreign {
			quoted, err := json.Marshal(uid)
			if err != nil {
				t.Fatal(err)
			}
			args := mine.filled(strings.ReplaceAll(use.args, `"<uid>"`, string(quoted)))
			if uid == "" && slices.Contains([]string{"press_key", "take_snapshot", "take_screenshot"}, use.tool) {
				continue // as if it had not been given
			}
			got := mine.call(use.tool, args)
			if !got.IsError || !strings.Contains(strings.ToLower(got.Text), "uid") || len(got.Text) > 2000 {
				t.Errorf("%s(%.200s) says %.300q (error: %v)", use.tool, args, got.Text, got.IsError)
			}
			if strings.ContainsAny(got.Text, "\u202e\x00") {
				t.Errorf("%s(%.200s) gives the uid back as it is", use.tool, args)
			}
		}
	}
	for _, o := range []*one{mine, other, anothers} {
		s.selects(&o.client, o.tab)
		if got := o.call("evaluate_script", `{"function":"() => document.title"}`); got.Text != `"One"` {
			t.Errorf("a click reached a tab: %s", got.Text)
		}
		o.usable()
	}
	s.Close()
	mine.detached()
	other.detached()
	anothers.detached()
}

// TestPagesThatWereClosed: each tool with the id of a page that is closed, and without one
// when the client's own page was.
func TestPagesThatWereClosed(t *testing.T) {
	t.Parallel()
	b := newManyTabs(t, aPage)
	s := New(Options{Browser: b, Categories: Categories()})
	defer s.Close()
	closed, stays := b.open(s, "1", "/"), b.open(s, "2", "/")
	closed.look()
	number := closed.number()
	if err := b.CloseTab(b.ctx, closed.tab); err != nil {
		t.Fatal(err)
	}
	gone := "there is no page " + number
	for _, tool := range s.Tools() {
		if !tool.Args.Has("pageId") {
			continue
		}
		var args map[string]any
		if err := json.Unmarshal([]byte(closed.filled(inTheMiddle[tool.Name].args)), &args); err != nil {
			t.Fatal(err)
		}
		args["pageId"] = json.Number(number)
		given, _ := json.Marshal(args)
		for _, o := range []*one{closed, stays} {
			got := o.within(5*time.Second, tool.Name, string(given))
			if !got.IsError || !strings.Contains(strings.ToLower(got.Text), gone) {
				t.Errorf("%s of a closed page says %q", tool.Name, got.Text)
			}
		}
		delete(args, "pageId")
		given, _ = json.Marshal(args)
		if tool.Name == "close_page" || tool.Name == "select_page" || tool.Name == "performance_stop_trace" {
			continue // which don't look for a page without an id
		}
		if got := closed.within(5*time.Second, tool.Name, string(given)); !got.IsError || !strings.Contains(got.Text, "your current page was closed") && !strings.Contains(got.Text, "Your current page was closed") {
			t.Errorf("%s without an id says %q", tool.Name, got.Text)
		}
	}
	stays.usable()
	s.Close()
	stays.detached()
}

// filesOf is a call of each way to name a file, with <file> for its path and what the file
// is ended with if that is not said.
var filesOf = []struct{ tool, args, extension string }{
	{"take_snapshot", `{"filePath":"<file>"}`, ".txt"},
	{"take_screenshot", `{"filePath":"<file>"}`, ".png"},
	{"evaluate_script", `{"function":"() => 1","filePath":"<file>"}`, ".json"},
	{"evaluate_script", `{"sourcePath":"<file>"}`, ""},
	{"get_network_request", `{"reqid":<request>,"responseFilePath":"<file>"}`, ".network-response"},
	{"performance_stop_trace", `{"filePath":"<file>"}`, ".json.gz"},
	{"upload_file", `{"uid":"<File>","filePaths":["<file>"]}`, ""},
}

// folderOutside makes a folder that isn't in the folder for temporary files, which may be
// used. The tests' own folder may be.
func folderOutside(t *testing.T) string {
	t.Helper()
	home, _ := os.UserHomeDir()
	for _, in := range []string{".", home, "/var/tmp"} {
		folder, err := os.MkdirTemp(in, "outside-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.RemoveAll(folder) })
		if folder, err = filepath.Abs(folder); err != nil {
			t.Fatal(err)
		}
		if within, err := filepath.Rel(os.TempDir(), folder); err != nil || strings.HasPrefix(within, "..") {
			return folder
		}
	}
	t.Fatal("no folder is outside the one for temporary files")
	return ""
}

// TestFilesThatMayNotBeUsed: paths out of the client's folders, links that lead out of
// them, folders that can't be written to, and what is no file, of each tool that takes one.
func TestFilesThatMayNotBeUsed(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	outside := folderOutside(t)
	readOnly := filepath.Join(root, "read-only")
	if err := os.Mkdir(readOnly, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "folder")); err != nil {
		t.Fatal(err)
	}
	for _, f := range filesOf {
		secret := filepath.Join(outside, "secret"+f.extension)
		if err := os.WriteFile(secret, []byte("() => 'secret'"), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.Symlink(secret, filepath.Join(root, "link"+f.extension)) // may be there
		_ = os.Symlink(filepath.Join(outside, "none"+f.extension), filepath.Join(root, "nowhere"+f.extension))
		_ = os.Mkdir(filepath.Join(root, "is-a-folder"+f.extension), 0o700)
	}
	o := newManyTabs(t, aPage)
	s := New(Options{Browser: o, Categories: Categories()})
	defer s.Close()
	a := o.open(s, "1", "/")
	a.client.Roots = roots(root, "/proc")
	a.look()
	a.says("navigate_page", `{"type":"reload"}`, "The page is at")
	a.look()
	requests := a.call("list_network_requests", `{}`).Text
	var request int
	if _, err := fmt.Sscanf(requests[strings.Index(requests, "reqid="):], "reqid=%d", &request); err != nil {
		t.Fatalf("%v: %s", err, requests)
	}
	paths := map[string]string{
		"outside": filepath.Join(outside, "secret"), "by dots": filepath.Join(root, "x") + "/../../../../../../" + filepath.Join(outside, "secret"),
		"a link": filepath.Join(root, "link"), "a folder that is a link": filepath.Join(root, "folder", "secret"), "a link to nothing": filepath.Join(root, "nowhere"),
		"a folder": filepath.Join(root, "is-a-folder"), "a folder of the system's": "/proc/new", "/etc": "/etc/passwd", "with a zero": root + "\x00/x", "too long": filepath.Join(root, strings.Repeat("x", 5000)),
		"below a file": filepath.Join(o.file, "x"),
	}
	if os.Getuid() != 0 { // who may write everywhere
		paths["without the right to write"] = filepath.Join(readOnly, "new")
	}
	defer trace()()
	for _, f := range filesOf {
		for name, path := range paths {
			quoted, _ := json.Marshal(path + f.extension)
			args := strings.NewReplacer(`"<file>"`, string(quoted), "<request>", fmt.Sprint(request)).Replace(f.args)
			if f.tool == "performance_stop_trace" {
				if name != "a link" && name != "a folder of the system's" { // each takes a second
					continue
				}
				a.says("performance_start_trace", `{"reload":false,"autoStop":false}`, "is being recorded")
			}
			got := a.within(20*time.Second, f.tool, args)
			said := strings.ToLower(got.Text)
			saved := f.tool == "performance_stop_trace" && !strings.Contains(said, "was not saved") || f.tool != "performance_stop_trace" && !got.IsError
			if saved || len(got.Text) > 6000 || strings.Contains(said, "secret'") {
				t.Errorf("%s of %s: %.500s", f.tool, name, got.Text)
			}
			if strings.Contains(name, "link") && !strings.Contains(said, "a link that leads out of the folder") {
				t.Errorf("%s of %s doesn't tell of the link: %s", f.tool, name, got.Text)
			}
		}
	}
	entries, err := os.ReadDir(outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if text, _ := os.ReadFile(filepath.Join(outside, e.Name())); string(text) != "() => 'secret'" || !strings.HasPrefix(e.Name(), "secret") {
			t.Errorf("outside there is %s with %.100q", e.Name(), text)
		}
	}
	a.usable()
	s.Close()
	a.detached()
}

// TestTimeoutsAboveTheHubs: a call that may take longer than the hub lets any take ends
// with a text that says whose limit it was, and what became of the page.
func TestTimeoutsAboveTheHubs(t *testing.T) {
	t.Parallel()
	b := newManyTabs(t, aPage)
	s := New(Options{Browser: b, Categories: Categories()})
	defer s.Close()
	o := b.open(s, "1", "/")
	o.look()
	const more = "The tool would have gone on for another "
	for _, c := range []struct{ tool, args, says, waits string }{
		{"wait_for", `{"text":["what never comes"],"timeout":60000}`, more, ""},
		{"click", `{"uid":"<Never>","timeout":60000}`, more, `button "Never" is disabled`},
		{"hover", `{"uid":"<Turning>","timeout":60000}`, more, `button "Turning" does not stop moving`},
		{"fill", `{"uid":"<Shut>","value":"x","timeout":60000}`, more, `textbox "Shut" is disabled`},
		{"upload_file", `{"uid":"<Never>","filePaths":["<path>"],"timeout":60000}`, more, `button "Never" is disabled`},
		{"evaluate_script", `{"function":"() => { for (;;); }","timeout":60000}`, "the script kept the page busy and was stopped", ""},
	} {
		var got *Result
		limit := 500 * time.Millisecond
		for ; ; limit *= 2 { // until it is enough to come to the page
			ctx, cancel := context.WithCancelCause(b.ctx)
			clock := wire.StartClock(limit, cancel)
			got = o.callIn(ctx, c.tool, o.filled(c.args))
			clock.Stop()
			if strings.Contains(got.Text, c.says) && strings.Contains(got.Text, c.waits) || limit > 10*time.Second {
				break
			}
		}
		if !got.IsError || !strings.Contains(got.Text, c.says) || !strings.Contains(got.Text, c.waits) || !strings.HasPrefix(strings.ToLower(got.Text), c.tool+" was given up: ") ||
			!strings.Contains(got.Text, "the time limit of "+limit.String()+" is over, which the hub sets for every call (--call-timeout)") {
			t.Errorf("%s says: %s", c.tool, got.Text)
		}
	}
	o.usable()
	s.Close()
	o.detached()
}
