package browsers

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"webmcphub/actors"
)

func grids(change func(*GridFlags)) GridFlags {
	f := GridFlags{Grid: "http://grid.example:4444", GridSessions: 1}
	change(&f)
	return f
}

func TestGridFlags(t *testing.T) {
	for _, c := range []struct {
		f    GridFlags
		want string
	}{
		{GridFlags{GridSessions: 1}, ""},
		{grids(func(f *GridFlags) {
			f.GridLabel = []string{"platformName=linux", "se:recordVideo=true", "zone:name=a=b"}
		}), ""},
		{grids(func(f *GridFlags) {
			f.GridHeader = []string{"A: b: c", "B: {env: X}", "C: {file: /x}", "D:{file: 'a b'}"}
		}), ""},
		{GridFlags{GridSessions: 2}, "go with --grid only"},
		{grids(func(f *GridFlags) { f.Grid = "http:// user:s3cret@h" }), "--grid must be a URL"},
		{grids(func(f *GridFlags) { f.GridSessions = 0 }), "from 1 to 1000"},
		{grids(func(f *GridFlags) { f.GridLabel = []string{"eu"} }), "must look like zone:name=eu"},
		{grids(func(f *GridFlags) { f.GridLabel = []string{"zone=eu"} }), "needs a colon"},
		{grids(func(f *GridFlags) { f.GridLabel = []string{"goog:chromeOptions=x"} }), "use --chrome-arg"},
		{grids(func(f *GridFlags) { f.GridLabel = []string{"a:b=1", "a:b=2"} }), "given twice"},
		{grids(func(f *GridFlags) { f.GridHeader = []string{"s3cret"} }), "must look like"},
		{grids(func(f *GridFlags) { f.GridHeader = []string{"A: {s3cret"} }), "can't be read"},
		{grids(func(f *GridFlags) { f.GridHeader = []string{"A: {x: s3cret}"} }), "headers have where"},
	} {
		err := c.f.Check()
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%+v: %v, want %q", c.f, err, c.want)
		}
	}
}

// TestGridBrowsers: labels are asked for as capabilities, and by the agents; what is read of
// files and of the environment is what is there when it is sent.
func TestGridBrowsers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	f := grids(func(f *GridFlags) {
		f.GridSessions = 2
		f.GridLabel = []string{"zone:name=eu", "se:recordVideo=true", "note:text=no label", "platformName=linux"}
		f.GridHeader = []string{"Authorization: {file: " + file + "}", "X-Team: blue"}
	})
	all, err := f.Browsers(nil, false, actors.ConnectOptions{OnNeed: true}, slog.New(slog.DiscardHandler))
	if err != nil || len(all) != 2 || all[0].Name != "grid-1" || all[1].Name != "grid-2" || all[0].Key == all[1].Key || !all[1].OnNeed || all[1].Dialer == nil {
		t.Fatalf("%+v, %v", all, err)
	}
	if !slices.Equal(all[1].Labels, []string{"eu", "linux"}) {
		t.Errorf("the labels are %q", all[1].Labels)
	}
	capabilities, _, err := f.labels()
	if want := map[string]any{"zone:name": "eu", "se:recordVideo": true, "note:text": "no label", "platformName": "linux"}; err != nil || !maps.Equal(capabilities, want) {
		t.Errorf("asked for %v, %v", capabilities, err)
	}
	header, err := HeadersFrom("--flag", f.GridHeader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := header(); err == nil || !strings.Contains(err.Error(), "Authorization") {
		t.Errorf("a header is there before its file: %v", err)
	}
	if err := os.WriteFile(file, []byte("Bearer s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h, err := header(); err != nil || h.Get("Authorization") != "Bearer s3cret" || h.Get("X-Team") != "blue" {
		t.Errorf("%v, %v", h, err)
	}
	if none, err := (GridFlags{}).Browsers(nil, false, actors.ConnectOptions{}, nil); none != nil || err != nil {
		t.Errorf("%+v, %v", none, err)
	}
}
