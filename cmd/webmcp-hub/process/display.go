package process

import (
	"os"
	"runtime"
)

// HasDisplay reports whether a program that this process starts can show a window.
func HasDisplay() bool {
	return runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
