//go:build unix && !linux

package launch

import "syscall"

// procAttr makes Chrome the leader of a process group. There is no parent-death
// signal here: Chrome quits when its pipe closes.
func procAttr(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// processLives says whether a process is there.
func processLives(pid int) bool { return syscall.Kill(pid, 0) == nil }

// processStart isn't known here.
func processStart(int) string { return "" }
