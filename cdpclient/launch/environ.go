package launch

import (
	"os"
	"slices"
	"strings"
)

// environ returns the part of this process's environment that Chrome gets. Chrome doesn't get the rest, because it may
// hold secrets: ETCD_PASSWORD, the variables that {env: NAME} names in the hub's files, any variable of the shell.
// Chrome hands its environment to its renderers, and those run untrusted pages.
//
// The list contains the allowed variables. Nobody can list the secret ones, because users choose the names. Users who
// need another variable can start Chrome by a script of their own (--executable-path) that sets it.
func environ() (kept []string) {
	for _, entry := range os.Environ() {
		if name, value, ok := strings.Cut(entry, "="); ok && forChrome(name) {
			kept = append(kept, name+"="+withoutUser(name, value))
		}
	}
	return kept
}

// withoutUser removes user and password from the address of a proxy. Chrome doesn't use them, but asks its user.
func withoutUser(name, value string) string {
	if !strings.HasSuffix(strings.ToLower(name), "_proxy") || strings.EqualFold(name, "no_proxy") {
		return value
	}
	before, address, ok := strings.Cut(value, "://")
	if !ok {
		before, address = "", value
	} else {
		before += "://"
	}
	if at := strings.LastIndexByte(address, '@'); at >= 0 {
		address = address[at+1:]
	}
	return before + address
}

// forChrome reports whether Chrome gets a variable.
func forChrome(name string) bool {
	return slices.Contains(chromeVariables, name) ||
		slices.ContainsFunc(chromePrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

var (
	chromeVariables = []string{
		// The user and the system.
		"HOME", "USER", "LOGNAME", "SHELL", "PATH", "LD_LIBRARY_PATH", "TMPDIR", "TZ", "TZDIR", "LANG", "LANGUAGE",
		"__CF_USER_TEXT_ENCODING",
		// The display and the desktop.
		"DISPLAY", "XAUTHORITY", "XMODIFIERS", "DESKTOP_SESSION", "DRI_PRIME",
		// The network. Chromium takes its proxy from these without a known desktop.
		"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "auto_proxy",
		"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
		"SOCKS_SERVER", "SOCKS_VERSION", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE",
		// Chromium's own. Not GOOGLE_API_KEY and its like: other programs keep their users' keys there.
		"CHROME_DEVEL_SANDBOX", "CHROME_DESKTOP", "CHROME_EXTRA_FLAGS", "CHROME_WRAPPER", "CHROME_VERSION_EXTRA",
		"CHROME_LOG_FILE", "CHROME_HEADLESS", "CHROME_CONFIG_HOME", "CHROMIUM_FLAGS", "CHROMIUM_USER_FLAGS",
	}
	chromePrefixes = []string{
		"LC_", "XDG_", "DBUS_", "WAYLAND_", "FONTCONFIG_", "KRB5",
		// Toolkits, graphics and sound.
		"GNOME_", "KDE_", "GTK_", "GDK_", "QT_", "XCURSOR_", "LIBVA_", "LIBGL_", "MESA_", "VK_", "EGL_", "__EGL_",
		"__GLX_", "__NV_", "PULSE_", "PIPEWIRE_", "ALSA_",
	}
)
