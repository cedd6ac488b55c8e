package launch

import "syscall"

// procAttr makes Chrome the leader of a process group, so that its helpers can
// be killed with it, and has the kernel kill it when we die: closing the pipe
// makes Chrome quit too, unless it hangs.
func procAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
