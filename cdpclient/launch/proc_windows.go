package launch

import (
	"errors"
	"os"
	"syscall"
)

// canLaunch refuses: Go cannot pass extra file descriptors on Windows, and
// Chrome's debugging pipe needs two.
func canLaunch() error {
	return errors.New("starting Chrome is not supported on Windows; start it with --remote-debugging-port=9222 " +
		"--enable-features=WebMCP and a --user-data-dir of its own, then use --browser-url=http://127.0.0.1:9222")
}

func isRoot() bool { return false }

func procAttr(bool) *syscall.SysProcAttr { return nil }

func killGroup(int) {}

// processLives is asked of a Chrome that was taken over only, which there is
// none of here.
func processLives(int) bool { return false }

// ours knows no owner; no profile is made here.
func ours(os.FileInfo) bool { return false }

// processStart isn't known here.
func processStart(int) string { return "" }
