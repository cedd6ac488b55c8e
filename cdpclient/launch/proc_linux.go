package launch

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// procAttr makes Chrome the leader of a process group, so that its helpers can be killed with it. Unless Chrome may
// outlive this process, the kernel kills Chrome when this process dies. Closing the pipe makes Chrome quit, too,
// unless it hangs.
func procAttr(outlives bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if !outlives {
		attr.Pdeathsig = syscall.SIGKILL
	}
	return attr
}

// processLives reports whether a process exists and is no zombie.
func processLives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err) && syscall.Kill(pid, 0) == nil
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return len(state) > 0 && state[0] != 'Z' && state[0] != 'X'
}

// processStart returns when the process began, in the kernel's ticks, or "" if that isn't known. The time
// distinguishes a process from a later one with the same id.
func processStart(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := bytes.Cut(stat, []byte(") "))
	if fields := bytes.Fields(after); len(fields) > 19 { // field 22 of the line
		return string(fields[19])
	}
	return ""
}
