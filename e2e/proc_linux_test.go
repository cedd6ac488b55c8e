package e2e

import "syscall"

// ownGroup puts a Chromium into a process group of its own, which ends with the
// thread that started it: also when the tests are killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
