package e2e

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// figures are what a hub's process takes. Those of /proc are 0 where there is none.
type figures struct {
	goroutines   int // without those of the hub's pools that wait for work
	idle         int // the latter
	objects      int
	heap, stacks int // bytes, after a collection
	fds, threads int
	rss          int // bytes
}

// mostIdle is how many goroutines the hub's two pools, for actors' turns and for
// clients' requests, let wait for work: 16 each.
const mostIdle = 2 * 16

func (f figures) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %d KiB of heap, %d KiB resident", f.goroutines, f.fds, f.heap>>10, f.rss>>10)
}

var (
	goroutineGroup = regexp.MustCompile(`(?m)^(\d+) @ .*\n#\t\S+\t(\S+)`)
	figuresLine    = regexp.MustCompile(`msg=figures goroutines=\d+ heap=(\d+) objects=(\d+) stacks=(\d+)\n`)
)

// settled measures until there are no more goroutines and files than before, or
// patience ends: some of the hub's go a second or so after their reason, such as
// the actor library's count of messages that came too late.
func (s *soak) settled() figures {
	s.t.Helper()
	deadline := time.After(patience / 3)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		f := s.measure()
		if len(s.figures) == 0 || f.goroutines <= s.figures[0].goroutines && f.fds <= s.figures[0].fds {
			return f
		}
		select {
		case <-tick.C:
		case <-deadline:
			return f
		}
	}
}

// measure asks the hub by SIGQUIT (see WEBMCP_HUB_FIGURES), and /proc.
func (s *soak) measure() (f figures) {
	s.t.Helper()
	before := len(s.h.stderr.String())
	if err := s.h.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		s.t.Fatal(err)
	}
	var said string
	var line []string
	poll(s.t, "the hub tells no figures", func() bool {
		said = s.h.stderr.String()[before:]
		line = figuresLine.FindStringSubmatch(said)
		return line != nil
	})
	_, _ = fmt.Sscan(strings.Join(line[1:], " "), &f.heap, &f.objects, &f.stacks)
	for _, group := range goroutineGroup.FindAllStringSubmatch(said, -1) {
		n, _ := strconv.Atoi(group[1])
		if strings.Contains(group[2], "workers.(*Pool).work+") {
			f.idle += n
		} else {
			f.goroutines += n
		}
	}
	proc := fmt.Sprintf("/proc/%d/", s.h.cmd.Process.Pid)
	if files, err := os.ReadDir(proc + "fd"); err == nil {
		f.fds = len(files)
	}
	if status, err := os.ReadFile(proc + "status"); err == nil {
		for line := range bytes.Lines(status) {
			_, _ = fmt.Sscanf(string(line), "VmRSS: %d kB", &f.rss)
			_, _ = fmt.Sscanf(string(line), "Threads: %d", &f.threads)
		}
		f.rss <<= 10
	}
	return f
}

// heapAllowance is for what fills up to a bound: names that clients have seen,
// sessions that have ended.
const heapAllowance = 1 << 20

// checkFlat compares the end with the end of the warm-up, both with one page
// and nothing under way.
func (s *soak) checkFlat() {
	first, last := s.figures[0], s.figures[len(s.figures)-1]
	flat := func(what string, was, is, allowance int) {
		if is > was+allowance {
			s.t.Errorf("%s grew from %d to %d, more than %d", what, was, is, allowance)
		}
	}
	if last.idle > mostIdle {
		s.t.Errorf("%d goroutines wait for work, more than %d", last.idle, mostIdle)
	}
	flat("goroutines", first.goroutines, last.goroutines, 0)
	flat("file descriptors", first.fds, last.fds, 0)
	flat("bytes of heap", first.heap, last.heap, heapAllowance)
}
