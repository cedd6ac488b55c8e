package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Chrome gets none of the secrets in this process's environment, and what it needs.
func TestChromeEnvironment(t *testing.T) {
	needChrome(t)
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc")
	}
	for name, value := range map[string]string{"ETCD_PASSWORD": "secret-1", "BANK_TOKEN": "secret-2",
		"WEBMCP_HUB_GRID_HEADER": "secret-3", "LC_TIME": "C", "TZ": "Asia/Tokyo", "XDG_CONFIG_DIRS": "/nowhere"} {
		t.Setenv(name, value)
	}
	c, err := Start(t.Context(), Options{Headless: true, Args: []string{"--disable-gpu"}, Env: []string{"ADDED=1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	read := func(pid string) string {
		text, _ := os.ReadFile(filepath.Join("/proc", pid, "environ")) // the process may have just ended
		return string(text)
	}
	for _, process := range group(strconv.Itoa(c.PID)) {
		pid, _, _ := strings.Cut(process, " ")
		if text := read(pid); strings.Contains(text, "secret-") {
			t.Errorf("the process %s has %q", process, text)
		}
	}
	text := read(strconv.Itoa(c.PID))
	has := strings.Split(text, "\x00")
	for _, want := range []string{"ADDED=1", "LC_TIME=C", "TZ=Asia/Tokyo", "XDG_CONFIG_DIRS=/nowhere",
		"HOME=" + os.Getenv("HOME")} {
		if !slices.Contains(has, want) {
			t.Errorf("Chrome lacks %s; it has %q", want, has)
		}
	}
}

func TestForChrome(t *testing.T) {
	for name, want := range map[string]bool{
		"PATH": true, "DISPLAY": true, "WAYLAND_DISPLAY": true, "DBUS_SESSION_BUS_ADDRESS": true, "https_proxy": true,
		"CHROME_DEVEL_SANDBOX": true, "ETCD_PASSWORD": false, "SHOP_TOKEN": false, "AWS_SECRET_ACCESS_KEY": false,
		"GOOGLE_APPLICATION_CREDENTIALS": false, "GOOGLE_API_KEY": false, "CHROME_CLIENT_SECRET": false, "WEBMCP_HUB_TOKEN_FILE": false, "PATHS": false,
	} {
		if got := forChrome(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestProxiesWithoutUsers(t *testing.T) {
	for _, c := range [][3]string{
		{"https_proxy", "http://me:secret@proxy.test:3128", "http://proxy.test:3128"}, {"HTTP_PROXY", "me:se@cret@proxy.test:1", "proxy.test:1"},
		{"all_proxy", "socks5://proxy.test:1", "socks5://proxy.test:1"}, {"no_proxy", "a@b", "a@b"}, {"PATH", "/x@y:/z", "/x@y:/z"},
	} {
		if got := withoutUser(c[0], c[1]); got != c[2] {
			t.Errorf("%s=%s: %s", c[0], c[1], got)
		}
	}
}
