package commands

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"webmcphub/trust/pins"
	"webmcphub/trust/pins/store"
)

const shop = "https://shop.example"

// run gives what a command prints.
func run(t *testing.T, c interface{ Run() error }) (string, error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	printed := make(chan string)
	go func() {
		text, _ := io.ReadAll(r)
		printed <- string(text)
	}()
	err = c.Run()
	os.Stdout = stdout
	_ = w.Close()
	return <-printed, err
}

// folder has a shop with two accepted tools, and one that waits.
func folder(t *testing.T) PinsFolder {
	t.Helper()
	p := PinsFolder{filepath.Join(t.TempDir(), "pins")}
	now := time.Now()
	_, err := store.Folder{Path: p.PinsDir}.Edit(shop, func(*pins.Site) (*pins.Site, error) {
		s := pins.NewSite(shop, now)
		s.Seen(pins.Definition{Name: "find", Description: "Finds."}, now)
		s.Seen(pins.Definition{Name: "buy", Description: "Buys."}, now)
		s.Visit.Over = true
		s.Seen(pins.Definition{Name: "buy", Description: "Buys\x1b[2J\nall."}, now)
		return s, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCommands(t *testing.T) {
	p := folder(t)
	for _, c := range []struct {
		do   interface{ Run() error }
		want string // what is printed, or the error
		err  bool
	}{
		{listCmd{PinsFolder: p}, shop + ": 2 definitions accepted, 1 waiting\n", false},
		{diffCmd{PinsFolder: p, Tool: "find", Origin: shop}, "", false},
		{diffCmd{PinsFolder: p, Origin: "shop.example"}, `its description was "Buys." and is "Buys[2J\nall."`, false},
		{acceptCmd{PinsFolder: p, Origin: "https://other.example"}, `nothing is pinned of https://other.example; "webmcp-hub pins list" names the sites`, true},
		{acceptCmd{PinsFolder: p, Origin: shop, Tool: "nothing"}, "has no tool nothing that waits", true},
		{acceptCmd{PinsFolder: p, Origin: shop + "/cart?x", Tool: "find"}, "Nothing waited of " + shop, false},
		{acceptCmd{PinsFolder: p, Origin: shop}, "1 definition of " + shop + " accepted.\n", false},
		{acceptCmd{PinsFolder: p, Origin: shop}, "Nothing waited of " + shop, false},
		{listCmd{PinsFolder: p, Origin: shop}, "  buy  accepted by command since ", false},
		{forgetCmd{PinsFolder: p, Origin: shop, Tool: "nothing"}, "has no tool nothing that is pinned", true},
		{forgetCmd{PinsFolder: p, Origin: shop, Tool: "buy"}, "Forgotten: " + shop + " buy\n", false},
		{listCmd{PinsFolder: p}, shop + ": 1 definition accepted\n", false},
		{forgetCmd{PinsFolder: p, Origin: shop}, "Forgotten: " + shop + "\n", false},
		{listCmd{PinsFolder: p}, "", false},
		{forgetCmd{PinsFolder: p, Origin: shop}, "nothing is pinned of " + shop + ", nor of any other site", true},
	} {
		printed, err := run(t, c.do)
		if err != nil {
			printed = err.Error()
		}
		if (err != nil) != c.err || !strings.Contains(printed, c.want) || c.want == "" && printed != "" || strings.Contains(printed, "\x1b") {
			t.Errorf("%T %+v: %q, %v; want %q", c.do, c.do, printed, err, c.want)
		}
	}
}

// What is exported is accepted elsewhere, besides what is there.
func TestExportAndImport(t *testing.T) {
	from, to := folder(t), folder(t)
	if _, err := run(t, acceptCmd{PinsFolder: from, Origin: shop}); err != nil {
		t.Fatal(err)
	}
	exported, err := run(t, exportCmd{PinsFolder: from})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "export.json")
	if err := os.WriteFile(file, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	if printed, err := run(t, importCmd{PinsFolder: to, File: file}); err != nil || printed != "1 definition of 1 site imported.\n" {
		t.Errorf("%q %v", printed, err)
	}
	if printed, err := run(t, listCmd{PinsFolder: to}); err != nil || printed != shop+": 3 definitions accepted\n" {
		t.Errorf("%q %v", printed, err)
	}
	fresh := PinsFolder{filepath.Join(t.TempDir(), "fresh")}
	if printed, err := run(t, importCmd{PinsFolder: fresh, File: file}); err != nil || printed != "3 definitions of 1 site imported.\n" {
		t.Errorf("%q %v", printed, err)
	}
	for _, broken := range []string{"", "{", `{"format":2,"sites":[]}`, `{"format":1,"sites":[{"origin":""}]}`, `{"format":1,"pages":[]}`} {
		if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if printed, err := run(t, importCmd{PinsFolder: fresh, File: file}); err == nil {
			t.Errorf("%q is imported: %s", broken, printed)
		}
	}
	if printed, err := run(t, listCmd{PinsFolder: fresh}); err != nil || printed != shop+": 3 definitions accepted\n" {
		t.Errorf("afterwards: %q %v", printed, err)
	}
}

// A file that can't be used can be forgotten, and doesn't stop the other commands.
func TestBrokenFile(t *testing.T) {
	p := folder(t)
	f := store.Folder{Path: p.PinsDir}
	const other = "https://other.example"
	if err := os.WriteFile(f.Place(other), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if printed, err := run(t, listCmd{PinsFolder: p}); err != nil || !strings.HasPrefix(printed, shop) {
		t.Errorf("%q %v", printed, err)
	}
	if printed, err := run(t, forgetCmd{PinsFolder: p, Origin: other}); err != nil || printed != "Forgotten: "+other+"\n" {
		t.Errorf("%q %v", printed, err)
	}
	if _, err := os.Stat(f.Place(other)); err == nil {
		t.Error("the file is there")
	}
}

// What "pins diff" showed is what "pins accept" accepts, whatever has come since; that is
// shown then, and accepted the next time.
func TestAcceptWhatWasShown(t *testing.T) {
	register := func(p PinsFolder, name, description string) {
		t.Helper()
		if _, err := (store.Folder{Path: p.PinsDir}).Edit(shop, func(was *pins.Site) (*pins.Site, error) {
			is := was.Clone()
			is.Seen(pins.Definition{Name: name, Description: description}, time.Now())
			return is, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	does := func(c interface{ Run() error }, want string, fails string) {
		t.Helper()
		printed, err := run(t, c)
		if !strings.Contains(printed, want) || (err != nil) != (fails != "") || err != nil && !strings.Contains(err.Error(), fails) {
			t.Errorf("%T %+v: %q, %v; want %q, %q", c, c, printed, err, want, fails)
		}
	}
	p := folder(t)
	does(diffCmd{PinsFolder: p, Origin: shop}, `and is "Buys`, "")
	register(p, "buy", "Buys, and sends the cookie.")
	register(p, "steal", "Takes all.")
	does(acceptCmd{PinsFolder: p, Origin: shop}, "1 definition of "+shop+" accepted.\n", `2 definitions of `+shop+` came since`)
	does(listCmd{PinsFolder: p}, "3 definitions accepted, 2 waiting", "")
	register(p, "later", "Comes still later.")
	does(acceptCmd{PinsFolder: p, Origin: shop, Tool: "steal"}, "1 definition of "+shop+" accepted.\n", "")
	does(acceptCmd{PinsFolder: p, Origin: shop}, `it says of itself "Comes still later."`, "1 definition of "+shop+" came since")
	does(acceptCmd{PinsFolder: p, Origin: shop}, "accepted.\n", "")
	does(listCmd{PinsFolder: p}, "6 definitions accepted\n", "")

	// Who looks at nothing before is shown what was accepted.
	register(p, "last", "Is the last.")
	does(acceptCmd{PinsFolder: p, Origin: shop}, `it says of itself "Is the last."`, "")

	// One tool that was shown is no other one.
	register(p, "one", "One.")
	register(p, "two", "Two.")
	does(diffCmd{PinsFolder: p, Origin: shop, Tool: "one"}, `"One."`, "")
	does(acceptCmd{PinsFolder: p, Origin: shop}, `"Two."`, "1 definition of "+shop+" came since")
	does(listCmd{PinsFolder: p}, "8 definitions accepted, 1 waiting", "")
}
