package input

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestUpload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("content of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b, png := file("a.txt"), file("b.txt"), file("c.png")
	upload := func(s *scene, selector string, paths ...string) (*Outcome, error) {
		return s.tab.Upload(s.in.Ctx, s.node(selector), paths, Limits{Ready: time.Second})
	}
	names := `[...i.files].map(f => f.name).join()`
	gives := func(want string, paths ...string) func(s *scene) {
		return func(s *scene) {
			out, err := upload(s, "#u", paths...)
			if err != nil {
				s.Fatal(err)
			}
			s.is(names, want)
			if out.Value == "" && want != "" {
				s.Error("it does not say what the field holds")
			}
		}
	}
	refused := func(want string, paths ...string) func(s *scene) {
		return func(s *scene) {
			_, err := upload(s, "#u", paths...)
			s.refuses(err, want)
		}
	}
	play(t, []row{
		{"a file field", `<input id=u type=file><script>var i = u; watch('input','change')</script>`, func(s *scene) {
			gives("a.txt", a)(s)
			s.is("log.join(' ')", "input@u change@u")
			s.is("i.files[0].text()", "content of a.txt")
		}},
		{"several files", `<input id=u type=file multiple><script>var i = u</script>`, gives("a.txt,b.txt", a, b)},
		{"others instead", `<input id=u type=file multiple><script>var i = u</script>`, func(s *scene) {
			gives("a.txt,b.txt", a, b)(s)
			gives("c.png", png)(s)
		}},
		{"none", `<input id=u type=file><script>var i = u</script>`, func(s *scene) {
			gives("a.txt", a)(s)
			gives("")(s)
		}},
		{"a hidden field", `<input id=u type=file style="display:none"><script>var i = u</script>`, gives("a.txt", a)},
		{"by its label", `<label id=u for=i>Upload</label><input id=i type=file hidden>`, gives("a.txt", a)},
		{"by a label around", `<label><b id=u>Upload</b><input id=i type=file hidden></label>`, gives("a.txt", a)},
		{"by what is around", `<div id=u>Drop here<input id=i type=file hidden></div>`, gives("a.txt", a)},
		{"by a button", `<button id=u onclick="i.click()">Upload</button><input id=i type=file hidden>`, gives("a.txt", a)},
		{"by a button, of a field that isn't in the document", `<button id=u onclick="i.click()">Upload</button><script>var i = document.createElement('input'); i.type = 'file'</script>`, gives("a.txt", a)},
		{"by a button, later", `<button id=u onclick="setTimeout(() => i.click(), 200)">Upload</button><input id=i type=file hidden>`, gives("a.txt", a)},
		{"by a button, several", `<button id=u onclick="i.click()">Upload</button><input id=i type=file multiple hidden>`, gives("a.txt,b.txt", a, b)},
		{"that the page takes at once", `<input id=u type=file onchange="log.push(this.files[0].name); this.value = ''"><script>var i = u</script>`, func(s *scene) {
			out, err := upload(s, "#u", a)
			if err != nil || out.Note == "" {
				s.Fatalf("%+v %v", out, err)
			}
			s.is("log.join()", "a.txt")
		}},
		{"accept by ending", `<input id=u type=file accept=".txt,.md"><script>var i = u</script>`, gives("a.txt", a)},
		{"accept by type", `<input id=u type=file accept="image/*"><script>var i = u</script>`, gives("c.png", png)},
		{"not accepted by ending", `<input id=u type=file accept=".png">`, refused("accepts .png, and not a.txt", a)},
		{"not accepted by type", `<input id=u type=file accept="image/*">`, refused("and not a.txt", a)},
		{"too many", `<input id=u type=file>`, refused("takes one file only", a, b)},
		{"disabled", `<input id=u type=file disabled>`, refused("is disabled", a)},
		{"missing", `<input id=u type=file>`, refused("cannot be uploaded", filepath.Join(dir, "none.txt"))},
		{"a relative path", `<input id=u type=file>`, refused("must be absolute", "a.txt")},
		{"a folder", `<input id=u type=file>`, refused("is a folder", dir)},
		{"a folder's field", `<input id=u type=file webkitdirectory multiple>`, refused("takes a folder, and folders cannot be uploaded", a)},
		{"a button that opens nothing", `<button id=u onclick="log.push('clicked')">x</button>`, refused("opened no file chooser", a)},
		{"a text field", `<input id=u>`, refused("opened no file chooser", a)},
		{"the page lives on after a wrong node", `<div id=u>x</div><button id=c onclick="log.push('clicked')">x</button>`, func(s *scene) {
			refused("opened no file chooser", a)(s)
			s.click("#c")
			s.is("log.join()", "clicked")
		}},
		{"the user's own dialogs work afterwards", `<button id=u onclick="i.click()">Upload</button><input id=i type=file hidden><script>i.oncancel = () => log.push('cancel')</script>`, func(s *scene) {
			gives("a.txt", a)(s)
			seen := make(chan struct{}, 1)
			defer s.chooser(seen)()
			s.click("#u")
			s.turns()
			select {
			case <-seen:
				s.Error("Chrome still hands choosers to the hub")
			default:
			}
		}},
	})
}
