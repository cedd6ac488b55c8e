package proctest

import "syscall"

// attributes puts a process into a group of its own, since a ^C is ours to pass on, and has the
// kernel kill it when this process dies: nobody else would.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
