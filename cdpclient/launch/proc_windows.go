package launch

import (
	"errors"
	"os"
	"syscall"
)

// canLaunch returns an error: Go can't pass extra file descriptors on Windows, and Chrome's debugging pipe needs two.
func canLaunch() error {
	return errors.New("starting Chrome is not supported on Windows; start it with --remote-debugging-port=9222 " +
		"--enable-features=WebMCP and a --user-data-dir of its own, then use --browser-url=http://127.0.0.1:9222")
}

func isRoot() bool { return false }

func procAttr(bool) *syscall.SysProcAttr { return nil }

func killGroup(int) {}

// processLives is only called for a Chrome that was taken over, which doesn't happen on Windows.
func processLives(int) bool { return false }

// ours returns false. The hub makes no temporary profile on Windows.
func ours(os.FileInfo) bool { return false }

// processStart returns "", because the start is unknown on Windows.
func processStart(int) string { return "" }
