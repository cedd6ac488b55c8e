package launch

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// procAttr makes Chrome the leader of a process group, so that its helpers can
// be killed with it. Unless it may outlive us, it has the kernel kill it when we die:
// closing the pipe makes Chrome quit too, unless it hangs.
func procAttr(outlives bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if !outlives {
		attr.Pdeathsig = syscall.SIGKILL
	}
	return attr
}

// processLives says whether a process is there, and has not ended without its
// parent having taken notice.
func processLives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err) && syscall.Kill(pid, 0) == nil
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return len(state) > 0 && state[0] != 'Z' && state[0] != 'X'
}

// processStart tells a process from a later one with its number: it is when the process
// began, in the kernel's ticks, or "" if that isn't known.
func processStart(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := bytes.Cut(stat, []byte(") "))
	if fields := bytes.Fields(after); len(fields) > 19 { // the 22nd of all
		return string(fields[19])
	}
	return ""
}
