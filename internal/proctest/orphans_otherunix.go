//go:build unix && !linux

package proctest

import "syscall"

// attributes puts a process into a group of its own, since a ^C is ours to pass on. There is no way
// to have it die with this process here.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
