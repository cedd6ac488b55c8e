package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProtected: an agent that was started in the home folder reaches neither the hub's own files nor those of
// browsers, nor keys, by whatever name.
func TestProtected(t *testing.T) {
	home := t.TempDir()
	config, temp := filepath.Join(home, ".config"), filepath.Join(home, "tmp")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("TMPDIR", temp)
	folders := For([]string{"file://" + home})
	secrets := []string{
		".config/webmcp-hub/answers/answers.json", ".config/webmcp-hub/profile/Default/Cookies", ".config/google-chrome/Default/Login Data",
		".config/BraveSoftware/Brave-Browser/Default/Cookies", ".mozilla/firefox/x.default/cookies.sqlite", ".ssh/id_ed25519", ".gnupg/secring.gpg",
		".aws/credentials", ".config/gcloud/credentials.db", ".kube/config", ".netrc", "tmp/webmcp-hub-profile-123/Default/Cookies",
		"elsewhere/profile/Default/Cookies", ".SSH/id_rsa",
	}
	write := func(path string) {
		t.Helper()
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range secrets {
		write(path)
	}
	write("elsewhere/profile/Local State")
	write("work/notes.txt")
	write("webmcp-hub/README.md")
	write("work/.npmrc")
	write(".config/editor/settings.json")
	write("tmp/picture.png")
	for link, to := range map[string]string{"work/keys": ".ssh", "work/answers.json": ".config/webmcp-hub/answers/answers.json"} {
		if err := os.Symlink(filepath.Join(home, to), filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range append(secrets, "work/keys/id_ed25519", "work/answers.json", "work/../.ssh/id_ed25519", ".config/webmcp-hub/answers/new.json", ".ssh/authorized_keys") {
		path = filepath.Join(home, path)
		_, read := folders.ReadText(path, 100)
		_, given := folders.Readable([]string{path})
		_, saved := folders.SaveText(path, filepath.Ext(path), "forged")
		for what, err := range map[string]error{"read": read, "uploaded": given, "written": saved} {
			if err == nil || !strings.Contains(err.Error(), "may not be used") {
				t.Errorf("%s was %s: %v", path, what, err)
			}
		}
		if text, err := os.ReadFile(path); err == nil && string(text) != "secret" {
			t.Errorf("%s holds %q", path, text)
		}
	}
	for _, path := range []string{"work/notes.txt", "webmcp-hub/README.md", "work/.npmrc", ".config/editor/settings.json", "tmp/picture.png"} {
		path = filepath.Join(home, path)
		if text, err := folders.ReadText(path, 100); err != nil || text != "secret" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
		if _, err := folders.SaveText(path, filepath.Ext(path), "secret"); err != nil {
			t.Error(err)
		}
	}
}
