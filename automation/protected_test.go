package automation

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestProtectedWhereverSettingsAre: a hub that was given another folder of settings leaves those in the usual one alone, too.
func TestProtectedWhereverSettingsAre(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "other"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "caches"))
	folders := FoldersOf([]string{"file://" + home})
	for _, path := range []string{".config/google-chrome/Default/Cookies", ".config/webmcp-hub/answers/answers.json",
		"other/webmcp-hub/answers/answers.json", ".cache/webmcp-hub/hub.sock", "caches/webmcp-hub/hub.sock"} {
		if _, err := folders.SaveText(filepath.Join(home, path), filepath.Ext(path), "forged"); err == nil || !strings.Contains(err.Error(), "may not be used") {
			t.Errorf("%s was written: %v", path, err)
		}
	}
}

// TestEnvironmentIsProtected: a client whose root is / has no tool read the tokens in the hub's environment.
func TestEnvironmentIsProtected(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc")
	}
	if _, err := FoldersOf([]string{"file:///"}).Readable([]string{"/proc/self/environ"}); err == nil || !strings.Contains(err.Error(), "may not be used") {
		t.Errorf("the environment was given: %v", err)
	}
}

// TestRunFolderIsProtected: where hubs have their sockets in the folder for temporary files, which each client's tools may
// use, these are left alone.
func TestRunFolderIsProtected(t *testing.T) {
	for _, folder := range []string{"/tmp/webmcp-hub-", "/run/user/"} {
		path := folder + strconv.Itoa(os.Getuid())
		if folder == "/run/user/" {
			path += "/webmcp-hub"
		}
		if protected(path+"/hub.sock") == nil || protected(path) == nil {
			t.Errorf("%s may be used", path)
		}
	}
	if err := protected("/tmp/webmcp-hub-notes/a.txt"); err != nil {
		t.Error(err)
	}
}

// TestProtected: an agent that was started in the home folder reaches neither the hub's own files nor those of
// browsers, nor keys, by whatever name.
func TestProtected(t *testing.T) {
	home := t.TempDir()
	config, temp := filepath.Join(home, ".config"), filepath.Join(home, "tmp")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("TMPDIR", temp)
	folders := FoldersOf([]string{"file://" + home})
	secrets := []string{
		".config/webmcp-hub/answers/answers.json", ".config/webmcp-hub/profile/Default/Cookies", ".config/google-chrome/Default/Login Data",
		".config/BraveSoftware/Brave-Browser/Default/Cookies", ".mozilla/firefox/x.default/cookies.sqlite", ".ssh/id_ed25519", ".gnupg/secring.gpg",
		".aws/credentials", ".config/gcloud/credentials.db", ".kube/config", ".netrc", "tmp/webmcp-hub-profile-123/Default/Cookies",
		"elsewhere/profile/Default/Cookies", ".SSH/id_rsa", ".oci/config", ".config/rclone/rclone.conf",
		".cache/webmcp-hub/hub.sock", ".cache/chromium/Default/Cache/entry", "snap/firefox/common/x", ".librewolf/x.default/cookies.sqlite",
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
