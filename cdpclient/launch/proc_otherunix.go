//go:build unix && !linux

package launch

import "syscall"

// procAttr makes Chrome the leader of a process group. These systems have no parent-death signal: Chrome quits when
// its pipe closes.
func procAttr(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// processLives reports whether a process exists.
func processLives(pid int) bool { return syscall.Kill(pid, 0) == nil }

// processStart returns "", because the start is unknown on these systems.
func processStart(int) string { return "" }
