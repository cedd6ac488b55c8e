package browsers

import (
	"slices"
	"strings"
	"testing"

	"webmcphub/registry"
)

func TestNames(t *testing.T) {
	l := Of([]string{"http://127.0.0.1:9222", "http://[::1]:9222/", "http://Work.example"},
		[]string{"wss://user:secret@grid.example:3000/a?token=secret", "wss://grid.example:3000/b?token=other", "ws://extension/x", "ws://ü.example/", "ws://" + strings.Repeat("long.", 30) + "example:1/"}, nil)
	if err := l.Validate(); err != nil {
		t.Fatal(err)
	}
	got := l.names()
	want := []string{"127.0.0.1:9222", "[::1]:9222", "work.example", "grid.example:3000", "grid.example:3000#2", "browser", "browser#2"}
	if !slices.Equal(got[:7], want) || !strings.HasSuffix(got[7], "long.example:1") {
		t.Errorf("the names are %q", got)
	}
	for i, name := range got {
		if why := registry.BrowserNameError(name); why != "" || slices.Index(got, name) != i || strings.Contains(name, "secret") {
			t.Errorf("%q: %s", name, why)
		}
	}
	all, err := l.Browsers(true, nil)
	if err != nil || len(all) != len(l) || !all[0].Lazy || all[3].Name != "grid.example:3000" || all[3].Dialer == nil {
		t.Errorf("the browsers are %+v, %v", all, err)
	}
	if one, err := l[:1].Browsers(false, nil); one != nil || err != nil {
		t.Errorf("one browser has a name: %+v, %v", one, err)
	}
}

func TestKey(t *testing.T) {
	a, b := []string{"http://127.0.0.1:1", "HTTP://127.0.0.1:2/"}, []string{"http://127.0.0.1:2", "http://127.0.0.1:1/"}
	if x, y := Of(a, []string{"ws://h/x"}, nil).Key(), Of(b, []string{"ws://h/x"}, nil).Key(); x != y {
		t.Errorf("%q and %q are the same browsers", x, y)
	}
	if x, y := Of(a, nil, nil).Key(), Of(b[:1], nil, nil).Key(); x == y {
		t.Errorf("%q is that of fewer browsers", x)
	}
	if got := Of(a[:1], nil, nil).Key(); got != "browser-url\nhttp://127.0.0.1:1" {
		t.Errorf("the key of one is %q", got)
	}
	if got := Of(nil, []string{"ws://h/x"}, []string{"A: b"}).Key(); got != "ws-endpoint\nws://h/x\nA: b" {
		t.Errorf("the key of one is %q", got)
	}
}

func TestWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		l    List
		want string
	}{
		{Of([]string{"127.0.0.1:9222"}, nil, nil), "begins with http://"},
		{Of([]string{"http://h:1"}, []string{"http://h:2"}, nil), "begins with ws://"},
		{Of([]string{"http://h:1", "HTTP://h:1/"}, nil, nil), "given twice"},
		{Of([]string{"http://h:1"}, []string{"ws://h:2/x"}, []string{"A: b"}), "--ws-header goes with one"},
		{Of(nil, []string{"ws://h:2/x"}, []string{"A: b"}), ""},
	} {
		if err := c.l.Validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.l, err, c.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	h, err := Headers([]string{"Authorization: Bearer a:b", "X-Empty:"})
	if err != nil || h.Get("Authorization") != "Bearer a:b" || len(h["X-Empty"]) != 1 {
		t.Errorf("got %v, %v", h, err)
	}
	for _, bad := range []string{"no colon", ": no name"} {
		if _, err := Headers([]string{bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
