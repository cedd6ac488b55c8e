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

// Tools may not read or write some files, even in a client's folders. (An agent may have been started in the home
// folder.) These are files of the hub itself, by which an agent could give itself rights that only its user may give,
// profiles of browsers, and keys that give access to other systems.

// secretNames are names of folders that are protected wherever they are.
var secretNames = []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".mozilla", ".password-store"}

// inSettings are names that are protected in the user's folders of settings and caches, and inHome names in the home
// folder. "/" separates parts of a name.
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

// profileFiles are files by which a browser's profile is recognized. Chromium's "Local State" is in the folder around
// its profiles.
var profileFiles = []string{"Local State", "DevToolsActivePort", "key4.db", "logins.json"}

// temporaryProfile begins the names of profiles that a hub makes for one run.
const temporaryProfile = "webmcp-hub-profile-"

// protected returns an error if a file may not be used. The path has no symbolic links. Upper and lower case count as
// the same, as they do on many file systems.
func protected(path string) error {
	refuse := fmt.Errorf("%s may not be used: it belongs to webmcp-hub or a browser, or holds keys of the user's. "+
		"Name another file", sanitize.Text(path, 300))
	parts := strings.SplitSeq(filepath.ToSlash(path), "/")
	for part := range parts {
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

// places returns the protected files and folders in known places. It includes the usual places even if this hub's
// settings or caches are elsewhere, because a hub or a browser in another environment may use them.
func places() (all []string) {
	add := func(base string, places ...string) {
		for _, place := range places {
			all = append(all, filepath.Join(base, filepath.FromSlash(place)))
		}
	}
	uid := strconv.Itoa(os.Getuid())
	add("/tmp", "webmcp-hub-"+uid) // sockets of hubs, see mcpserver/share
	add("/run/user", uid+"/webmcp-hub")
	add("/proc", "") // its files have, among other things, the hub's environment and open files
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

// within says whether a path is a folder or something in it.
func within(folder, path string) bool {
	folder, path = strings.ToLower(filepath.Clean(folder)), strings.ToLower(filepath.Clean(path))
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}

// realPath returns a path without symbolic links, as far as the path exists.
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
