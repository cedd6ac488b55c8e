//go:build !linux

package etcdtest

import "syscall"

// attributes are none: there is no way to have a process die with this one here.
func attributes() *syscall.SysProcAttr { return nil }
