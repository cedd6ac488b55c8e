package automation

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"webmcphub/registry/sanitize"
)

// Some files are nobody's to read or write by a tool, though they lie in a client's folders, as when an agent is
// started in the home folder: those of the hub itself, by which an agent could give itself what its user has to give,
// the profiles of browsers, and keys that let their owner in elsewhere.

// secretNames are the names of folders that are protected wherever they are.
var secretNames = []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".mozilla", ".password-store"}

// inSettings are protected below the user's folders of settings and of caches, and inHome below the home folder, with
// "/" between names.
var (
	inSettings = []string{
		"webmcp-hub", "gcloud", "gh", "op", "rclone", "doctl", "librewolf", "mozilla", "git/credentials", "vivaldi",
		"opera", "BraveSoftware",
		"google-chrome", "google-chrome-beta", "google-chrome-unstable", "google-chrome-canary", "chromium",
		"microsoft-edge", "microsoft-edge-beta", "microsoft-edge-dev",
		"Google", "Chromium", "Microsoft Edge", "Firefox", "Vivaldi", "com.operasoftware.Opera", // macOS
		"Mozilla", "Microsoft/Credentials", "Microsoft/Protect", "GitHub CLI", "Opera Software", // Windows
	}
	inHome = []string{
		".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".vault-token", ".terraform.d",
		".docker/config.json", ".thunderbird",
		".oci", ".boto", ".s3cfg", ".librewolf", ".waterfox", ".zen", ".cargo/credentials", ".cargo/credentials.toml",
		".local/share/keyrings", "snap/chromium", "snap/firefox", "snap/brave", ".var/app",
		"Library/Keychains", "Library/Safari", "Library/Cookies", // macOS
		"AppData/Local/Google", "AppData/Local/Chromium", "AppData/Local/BraveSoftware", "AppData/Local/Microsoft/Edge",
		"AppData/Local/Microsoft/Credentials",
	}
)

// profileFiles are in each profile of a browser: Chromium's "Local State" is in the folder around its profiles.
var profileFiles = []string{"Local State", "DevToolsActivePort", "key4.db", "logins.json"}

// temporaryProfile begins the names of the profiles that a hub makes for one run.
const temporaryProfile = "webmcp-hub-profile-"

// protected says why a file may not be used, whose path has no links. Letters count alike in either case, as they do
// on many file systems.
func protected(path string) error {
	refuse := fmt.Errorf("%s may not be used: it belongs to webmcp-hub or a browser, or holds keys of the user's. "+
		"Name another file", sanitize.Text(path, 300))
	parts := strings.Split(filepath.ToSlash(path), "/")
	for _, part := range parts {
		if strings.HasPrefix(strings.ToLower(part), temporaryProfile) ||
			slices.ContainsFunc(secretNames, func(name string) bool { return strings.EqualFold(name, part) }) {
			return refuse
		}
	}
	for _, place := range places() {
		if within(place, path) || within(realPath(place), path) {
			return refuse
		}
	}
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		for _, name := range profileFiles {
			if info, err := os.Lstat(filepath.Join(at, name)); err == nil && info.Mode()&os.ModeDir == 0 {
				return refuse
			}
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// places are the protected files and folders that lie in known places. A hub or a browser that runs in another
// environment may have its files where they usually are, though this hub's settings or caches are elsewhere.
func places() (all []string) {
	add := func(base string, places ...string) {
		for _, place := range places {
			all = append(all, filepath.Join(base, filepath.FromSlash(place)))
		}
	}
	uid := strconv.Itoa(os.Getuid())
	add("/tmp", "webmcp-hub-"+uid) // the sockets of hubs, see mcpserver/share
	add("/run/user", uid+"/webmcp-hub")
	add("/proc", "") // its files tell the environment and the open files of the hub, among others
	for _, base := range []func() (string, error){os.UserConfigDir, os.UserCacheDir} {
		if dir, err := base(); err == nil {
			add(dir, inSettings...)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		add(home, inHome...)
		add(filepath.Join(home, ".config"), inSettings...)
		add(filepath.Join(home, ".cache"), inSettings...)
	}
	return all
}

// within says whether a path is that of a folder, or of something in it.
func within(folder, path string) bool {
	folder, path = strings.ToLower(filepath.Clean(folder)), strings.ToLower(filepath.Clean(path))
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}

// real is a path without links, as far as it exists.
func realPath(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if is, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(is, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
