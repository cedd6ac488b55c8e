package live

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// without is a hub that can't show tabs.
type without struct{ Hub }

// sites serves the pages of tenants to a browser that has come in.
func sites(t *testing.T, tenants ...string) (v *visit, pages map[string]*Server, ends map[string]func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewPages(Options{Listener: listener, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error)
	go func() { over <- s.Serve(ctx) }()
	pages, ends = map[string]*Server{}, map[string]func(){}
	for _, tenant := range tenants {
		pages[tenant] = s.Page(tenant)
		ends[tenant] = pages[tenant].Show(ctx, without{fakeHub{called: make(chan string, 1), screens: make(chan Screen, 1)}})
	}
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
		for _, end := range ends {
			end()
		}
	})
	v = &visit{t: t, Server: &Server{Pages: s}, header: http.Header{}}
	v.enter()
	return v, pages, ends
}

func (v *visit) get(at string) (status int, body string) {
	v.t.Helper()
	status, body, _ = v.send(http.MethodGet, v.Pages.Address()+at, nil)
	return status, body
}

// TestTenantsPages: each tenant has a page with what is its own, and none of them shows or does
// anything of another's.
func TestTenantsPages(t *testing.T) {
	v, pages, ends := sites(t, "shop", "bank")
	for tenant, url := range map[string]string{"shop": "https://shop.example/", "bank": "https://bank.example/"} {
		r := registry.NewState(registry.Options{})
		for _, e := range []registry.Event{registry.PageOpened{Page: "A", URL: url}, registry.Navigated{Page: "A", Gen: 1, URL: url},
			registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Name: "of-" + tenant}}}, registry.FlushDue{}} {
			pages[tenant].Apply(r.Step(e))
		}
	}
	stopped := make(chan string, 2)
	for _, tenant := range []string{"shop", "bank"} {
		pages[tenant].Watch(calls.Record{Began: time.Now(), Session: "http-1", Tab: 1, Name: "call-of-" + tenant, Args: json.RawMessage(`{}`)}, func() { stopped <- tenant })
	}
	if _, body := v.get(""); !strings.Contains(body, `href="shop/"`) || !strings.Contains(body, `href="bank/"`) || strings.Contains(body, "example") {
		t.Errorf("the list of tenants is %s", body)
	}
	for tenant, other := range map[string]string{"shop": "bank", "bank": "shop"} {
		status, body := v.get(tenant + "/?tab=1")
		if status != http.StatusOK || !strings.Contains(body, "of-"+tenant) || !strings.Contains(body, "call-of-"+tenant) || strings.Contains(body, other) {
			t.Errorf("the page of %s is %d %s", tenant, status, body)
		}
		if strings.Contains(body, "Watch this tab") {
			t.Error("there is a link to a picture that can't be shown")
		}
		if _, lines := v.get(tenant + "/export.jsonl"); !strings.Contains(lines, `"tenant":"`+tenant+`"`) || strings.Contains(lines, other) {
			t.Errorf("the export of %s is %s", tenant, lines)
		}
		if status, _ := v.get(tenant + "/watch?tab=1"); status != http.StatusNotFound {
			t.Errorf("the picture that can't be shown gives %d", status)
		}
	}

	// A form of one page does nothing at another.
	_, body := v.get("shop/")
	form := func(do string) url.Values {
		at := strings.Index(body, `name="do" value="`+do+`"`)
		if at < 0 {
			t.Fatalf("no form for %s: %s", do, body)
		}
		f := nonceField.FindStringSubmatch(body[at:])
		return url.Values{"do": {do}, "of": {f[1]}, "nonce": {f[2]}}
	}
	if status, _, _ := v.send(http.MethodPost, v.Pages.Address()+"bank/do", form("stop")); status != http.StatusForbidden {
		t.Errorf("a form of shop's, at bank's: %d", status)
	}
	status, _, h := v.send(http.MethodPost, v.Pages.Address()+"shop/do", form("stop"))
	if who := <-stopped; status != http.StatusSeeOther || who != "shop" || !strings.HasPrefix(h.Get("Location"), v.Pages.auth.path+"shop/") {
		t.Errorf("stop gives %d and has stopped a call of %s", status, who)
	}
	if problem := pages["shop"].pause(func(p *paused) { p.tab(1, true) }); problem != "" {
		t.Error(problem)
	}
	if action := (calls.Action{Where: calls.Where{Tab: 1}}); pages["shop"].Paused(action) == "" || pages["bank"].Paused(action) != "" {
		t.Error("a pause holds for another tenant's tab, or not for its own")
	}

	// A tenant that is gone is gone for whoever looks, too.
	r, err := http.NewRequest(http.MethodGet, v.Pages.Address()+"shop/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", v.cookie)
	stream, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	ends["shop"]()
	delete(ends, "shop")
	for buf := make([]byte, 4096); err == nil; {
		_, err = stream.Body.Read(buf)
	}
	if status, _ := v.get("shop/"); status != http.StatusNotFound {
		t.Errorf("the page of a tenant that is gone gives %d", status)
	}
	if _, body := v.get(""); strings.Contains(body, "shop") || !strings.Contains(body, "bank") {
		t.Errorf("then the list of tenants is %s", body)
	}
}

// TestTenantsList: the list follows what happens, for a bounded number of viewers, and shows nothing to
// whoever has not come in.
func TestTenantsList(t *testing.T) {
	v, pages, _ := sites(t, "shop")
	for _, at := range []string{"", "shop/", "shop/events", "events", "nobody/"} {
		if status, body, _ := v.send(http.MethodGet, v.Pages.Address()+at, nil, func(r *http.Request) { r.Header.Del("Cookie") }); status != http.StatusUnauthorized || strings.Contains(body, "shop") {
			t.Errorf("%q gives %d %s", at, status, body)
		}
	}
	follow := func() (*http.Response, error) {
		r, err := http.NewRequest(http.MethodGet, v.Pages.Address()+"events", nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Cookie", v.cookie)
		return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	}
	one, err := follow()
	if err != nil {
		t.Fatal(err)
	}
	defer one.Body.Close()
	until := func(text string) {
		t.Helper()
		var all strings.Builder
		for buf := make([]byte, 4096); !strings.Contains(all.String(), text); {
			n, err := one.Body.Read(buf)
			if err != nil {
				t.Fatalf("no %s in %s", text, &all)
			}
			all.Write(buf[:n])
		}
	}
	until("tenant-shop")
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error)
	go func() {
		_, err := pages["shop"].Person(ctx, calls.Question{Params: json.RawMessage(`{"message":"May it?","requestedSchema":{"properties":{"ok":{"type":"boolean"}}}}`)})
		asked <- err
	}()
	until(`class=\"bad\"\u003e1\u003c`)
	cancel()
	<-asked
	for range maxViewers - 1 {
		more, err := follow()
		if err != nil || more.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", more, err)
		}
		defer more.Body.Close()
	}
	more, err := follow()
	if err != nil || more.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("there is no end of viewers: %v, %v", more, err)
	}
	_ = more.Body.Close()
}
