package etcdtest

import "syscall"

// attributes has the kernel kill a process when this one dies: nobody else would.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
