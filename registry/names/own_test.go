package names

import "testing"

func TestOwnPage(t *testing.T) {
	own := (*Origins)(nil).WithOwn(NewOwn("4711", "192.0.2.7"))
	for _, at := range []string{"http://127.0.0.1:4711/", "http://localhost:4711/x?y", "http://a.LOCALHOST:4711/", "http://localhost.:4711/", "http://[::1]:4711", "http://127.8.9.1:4711/", "http://0.0.0.0:4711/", "http://[::ffff:127.0.0.1]:4711/", "https://127.0.0.1:4711/", "blob:http://127.0.0.1:4711/1-2", "http://192.0.2.7:4711/"} {
		if !own.IsOwn("", at) || own.Refusal("", at) != refusedOwn || own.Permits(at) || own.DocumentRefusal("", at, false) != refusedOwn || !own.Address("", at).KeptOut() {
			t.Errorf("%s is not taken for the hub's own page", at)
		}
	}
	for _, at := range []string{"http://127.0.0.1:4712/", "http://shop.example:4711/", "http://127.0.0.1/", "http://localhost.shop.example:4711/", "about:blank", "data:,x", ""} {
		if own.IsOwn("", at) || own.Refusal("", at) != "" || own.DocumentRefusal("", at, false) != "" || own.Address("", at).KeptOut() {
			t.Errorf("%s is taken for the hub's own page", at)
		}
	}
	if !own.IsOwn("http://127.0.0.1:4711", "about:blank") || own.Refusal("http://127.0.0.1:4711", "about:blank") == "" {
		t.Error("an empty document of the page's own origin is not its")
	}
	if own.PermitsAll() || !own.PermitsOrigin(OpaqueOrigin) || !own.PermitsOrigin("https://a.example") {
		t.Error("nothing but the hub's own page is to be kept out")
	}
	if (*Origins)(nil).IsOwn("", "http://127.0.0.1:4711/") || new(Origins).HasOwn() {
		t.Error("without a page of its own there is none")
	}
	all, err := ParseOrigins([]string{"*"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if all = all.WithOwn(NewOwn("4711")); all.Permits("http://127.0.0.1:4711/") || all.PermitsAll() || !all.Permits("http://127.0.0.1:4712/") {
		t.Error("a rule that allows everything allows the hub's own page")
	}
}

// TestOtherHubsPages: the live page of any hub on this computer is kept out, whoever asks.
func TestOtherHubsPages(t *testing.T) {
	for _, o := range []*Origins{nil, new(Origins), (*Origins)(nil).WithOwn(NewOwn("4711"))} {
		for at, is := range map[string]bool{
			"http://127.0.0.1:5000" + LivePath + "X/":             true,
			"http://localhost:5000" + LivePath + "X/?token=Y":     true,
			"http://[::1]:5000" + LivePath:                        true,
			"http://user@127.0.0.1:5000" + LivePath + "X/":        true,
			"http://127.0.0.1:5000/?" + LivePath:                  false,
			"http://127.0.0.1:5000/a" + LivePath:                  false,
			"https://shop.example" + LivePath + "X/":              false,
			"http://127.0.0.1:5000/":                              false,
			"https://shop.example/?http://127.0.0.1:1" + LivePath: false,
		} {
			if o.IsOwn("", at) != is || (o.Refusal("", at) == refusedOwn) != is || (o.DocumentRefusal("", at, true) == refusedOwn) != is {
				t.Errorf("%s: %v, want %v", at, !is, is)
			}
		}
	}
}

// TestExtensionsPages: the pages of an extension that connects instead of the hub's own are kept out, and no others'.
func TestExtensionsPages(t *testing.T) {
	const id = "abcdefghijklmnopabcdefghijklmnop"
	if (*Origins)(nil).WithExtensions() != nil {
		t.Error("there are rules for nothing")
	}
	o := (*Origins)(nil).WithExtensions(id).WithOwn(NewOwn("4711"))
	for at, is := range map[string]bool{
		"chrome-extension://" + id + "/popup.html": true, "chrome-extension://" + id: true,
		"chrome-extension://" + id + "x/popup.html": false, "https://" + id + "/popup.html": false, "https://a.example/": false,
	} {
		if o.IsOwn("", at) != is || o.Permits(at) == is || (*Origins)(nil).IsOwn("", at) {
			t.Errorf("%s: %v, want %v", at, !is, is)
		}
	}
	if n, err := o.Narrowed(new(Origins)); err != nil || n.Permits("chrome-extension://"+id+"/popup.html") {
		t.Errorf("not in a browser with rules of its own: %v", err)
	}
	if !o.IsOwn("chrome-extension://"+id, "about:blank") || o.PermitsAll() || (*Origins)(nil).WithExtensions(id).PermitsAll() {
		t.Error("they aren't kept out")
	}
}
