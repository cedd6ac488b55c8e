package probe

import (
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/check/lint"
)

const tea = `document.modelContext.registerTool({ name: "tea", description: "Makes tea. Use it at five.", execute: () => "done" });`

// A frame of another site without allow="tools" can't register tools, and the page's author is told so; with it, it
// can. A page of which that is the only fault has no other.
func TestFramesWithoutPermission(t *testing.T) {
	b := aBrowser(t)
	framed := func(allow string) string {
		return page(tea, `<iframe `+allow+` src="http://other.localhost:PORT/frame"></iframe>`)
	}
	address := serve(t, map[string]string{
		"/refused": framed(""), "/allowed": framed(`allow="tools"`),
		"/nested": page(tea, `<iframe allow="tools" src="http://other.localhost:PORT/middle"></iframe>`),
		"/middle": page(`<iframe src="http://third.localhost:PORT/frame"></iframe>`),
		"/frame":  page(strings.ReplaceAll(tea, "tea", "milk")),
	})
	for path, want := range map[string]bool{"/refused": true, "/allowed": false, "/nested": true} {
		tab, p, err := b.Open(t.Context(), address+path)
		if err != nil {
			t.Fatal(err)
		}
		tab.Close()
		told := slices.ContainsFunc(findings(t, &p), func(f lint.Finding) bool {
			return f.Rule == "registration-failed" && f.Tool == "milk" && strings.Contains(f.Message, `allow="tools"`)
		})
		if told != want {
			t.Errorf("%s: told %v, want %v: %+v", path, told, want, p.Registrations)
		}
		if got := len(p.Tools); (got == 2) != (path == "/allowed") {
			t.Errorf("%s has %d tools", path, got)
		}
	}
}

// A page is watched until it is quiet: tools of timers, of what loads slowly and of scripts that try again are seen. A
// page that is quiet is not waited for, and neither is one that only does the same again and again.
func TestWaitsUntilThePageIsQuiet(t *testing.T) {
	b := aBrowser(t)
	const later = `setTimeout(() => { ` + tea + ` }, 3200);`
	address := serve(t, map[string]string{
		"/timer": page(later), "/both": page(strings.ReplaceAll(tea, "tea", "milk"), later),
		"/again":  page(`let n = 0; const attempt = () => { if (n++ < 8) return setTimeout(attempt, 400); ` + tea + ` }; attempt();`),
		"/slow":   page(`fetch("/never"); setTimeout(() => {}, 200);`, tea),
		"/never":  "never",
		"/clock":  page(tea, `<p id=clock>`, `setInterval(() => { document.getElementById("clock").textContent = Date.now(); }, 100);`),
		"/ticker": page(tea, `const tick = () => setTimeout(tick, 1000); tick();`),
		"/guard":  page(tea, `const guard = setTimeout(() => {}, 9000); clearTimeout(guard);`),
	})
	for path, want := range map[string]struct {
		tools    int
		busy     bool
		from, to time.Duration
	}{
		"/timer": {1, false, 3 * time.Second, 9 * time.Second}, "/both": {2, false, 3 * time.Second, 9 * time.Second},
		"/again": {1, false, 3 * time.Second, 9 * time.Second}, "/slow": {1, true, 10 * time.Second, time.Minute},
		"/clock": {1, false, time.Second, 9 * time.Second}, "/ticker": {1, false, time.Second, 9 * time.Second},
		"/guard": {1, false, time.Second, 8 * time.Second},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			tab, p, err := b.Open(t.Context(), address+path)
			if err != nil {
				t.Fatal(err)
			}
			tab.Close()
			if len(p.Tools) != want.tools || (p.Busy != "") != want.busy || p.Waited < want.from || p.Waited > want.to {
				t.Errorf("%d tools, busy %q, waited %v; want %+v", len(p.Tools), p.Busy, p.Waited, want)
			}
		})
	}
}

// What a tool does beside answering is seen, and what the page does by itself is not taken for it.
func TestEffectsOfCalls(t *testing.T) {
	b := aBrowser(t)
	tool := func(name, does string) string {
		return `document.modelContext.registerTool({ name: "` + name + `", description: "Does it.", execute: async () => { ` + does + `; return "done"; } });`
	}
	address := serve(t, map[string]string{"/": page(
		`<p id=clock></p><ul id=cart></ul>`,
		`setInterval(() => { document.getElementById("clock").textContent = Date.now(); localStorage.seen = Date.now(); fetch("/alive", { method: "POST" }); }, 100);`,
		tool("alerts", `alert("Hello")`), tool("stores", `localStorage.cart = "tea"`), tool("keeps", `document.cookie = "cart=tea"`),
		tool("posts", `await fetch("/cart", { method: "POST", body: "tea" })`), tool("asks", `await fetch("/search", { method: "POST", body: "tea" })`),
		tool("changes", `document.getElementById("cart").append("tea")`), tool("reads", `await fetch("/cart")`),
		tool("saves", `await new Promise((done) => { const open = indexedDB.open("shop"); open.onupgradeneeded = () => open.result.createObjectStore("cart"); open.onsuccess = () => { const t = open.result.transaction("cart", "readwrite"); t.objectStore("cart").put(1, 1); t.oncomplete = done; }; })`),
	), "/cart": "x", "/search": "x", "/alive": "x"})
	tab, _, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	for _, c := range []struct{ tool, dialogs, wrote, changed string }{
		{"reads", "", "", ""}, {"asks", "", "", ""}, {"alerts", `alert("Hello")`, "", ""}, {"stores", "", "localStorage cart", ""},
		{"keeps", "", "the cookie cart", ""}, {"posts", "", "POST " + address + "/cart", ""}, {"changes", "", "", "ul#cart"},
		{"saves", "", "the IndexedDB shop, cart", ""},
	} {
		out, err := tab.Call(t.Context(), c.tool, 0, []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []struct {
			is   []string
			want string
		}{{out.Dialogs, c.dialogs}, {out.Wrote, c.wrote}, {out.Changed, c.changed}} {
			if strings.Join(got.is, ",") != got.want {
				t.Errorf("%s: got %q, want %q", c.tool, got.is, got.want)
			}
		}
	}
}

// A finding can say where its tool was registered.
func TestWhereToolsAreRegistered(t *testing.T) {
	b := aBrowser(t)
	address := serve(t, map[string]string{"/": page(`<script src="/app.js"></script>`), "/app.js": "// Tools.\n\n" + tea})
	tab, p, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	tab.Close()
	if len(p.Tools) != 1 || p.Tools[0].Script != address+"/app.js" || p.Tools[0].Line != 3 {
		t.Errorf("got %+v", p.Tools)
	}
}

// The links of a page, and the sitemaps of its origin, say which pages there are.
func TestLinksAndSitemap(t *testing.T) {
	b := aBrowser(t)
	address := serve(t, map[string]string{
		"/":            page(`<a href="/a#b">a</a><a href="http://elsewhere.example/">b</a><a href="/file" download>c</a>`),
		"/sitemap.xml": `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://shop.localhost:PORT/more.xml</loc></sitemap></sitemapindex>`,
		"/more.xml":    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://shop.localhost:PORT/c?a=1&amp;b=2</loc></url></urlset>`,
	})
	tab, p, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	if got := p.Links; !slices.Equal(got, []string{address + "/a#b"}) {
		t.Errorf("links: %q", got)
	}
	if got := tab.Sitemap(t.Context()); !slices.Equal(got, []string{address + "/c?a=1&b=2"}) {
		t.Errorf("sitemap: %q", got)
	}
}

// A page is logged in with what Playwright has saved.
func TestStorageState(t *testing.T) {
	aBrowser(t) // or there is no Chromium
	address := serve(t, map[string]string{"/": page(`<p id=who></p>`, `const who = document.getElementById("who");
		if (document.cookie === "session=ann" && localStorage.token === "t1") `+tea)})
	state, err := ReadStorageState([]byte(`{"cookies":[{"name":"session","value":"ann","domain":"shop.localhost","path":"/","expires":-1,"httpOnly":false,"secure":false,"sameSite":"Lax"}],
		"origins":[{"origin":"` + address + `","localStorage":[{"name":"token","value":"t1"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Start(t.Context(), Options{ExecutablePath: "chromium", Timeout: time.Minute, StorageState: state})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tab, p, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	tab.Close()
	if len(p.Tools) != 1 {
		t.Error("the page isn't logged in")
	}
	if _, err := ReadStorageState([]byte(`{}`)); err == nil {
		t.Error("a file of something else is taken")
	}
}
