//go:build unix && !linux

package launch

import "syscall"

// procAttr makes Chrome the leader of a process group. There is no parent-death
// signal here: Chrome quits when its pipe closes.
func procAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
