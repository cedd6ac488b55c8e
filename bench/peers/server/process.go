package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Memory is the resident memory of a process and all its descendants, in MiB: the
// sum of their VmRSS. Pages that they share count more than once.
func Memory(pid int) (float64, error) {
	children, err := childrenOf()
	if err != nil {
		return 0, err
	}
	var kib float64
	for _, p := range family(pid, children) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p))
		if os.IsNotExist(err) && p != pid {
			continue // it has just ended
		}
		if err != nil {
			return 0, err
		}
		n, err := rss(string(status))
		if err != nil {
			return 0, fmt.Errorf("process %d: %w", p, err)
		}
		kib += n
	}
	return kib / 1024, nil
}

// family are a process and all its descendants.
func family(pid int, children map[int][]int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// ticks are how many the kernel counts in a second, on every Linux that Chromium runs on.
const ticks = 100

// ProcessorTime is what a process and all its descendants have used so far.
func ProcessorTime(pid int) (time.Duration, error) {
	children, err := childrenOf()
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, p := range family(pid, children) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil && p != pid {
			continue // it has just ended
		}
		if err != nil {
			return 0, err
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 13 {
			return 0, fmt.Errorf("process %d: the kernel says %s", p, stat)
		}
		for _, field := range fields[11:13] { // of itself, and of the kernel for it
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return time.Duration(sum) * time.Second / ticks, nil
}

// rss gives VmRSS in KiB; that of a process that has just ended is 0.
func rss(status string) (float64, error) {
	_, rest, found := strings.Cut(status, "\nVmRSS:")
	if !found {
		return 0, nil
	}
	number, _, found := strings.Cut(strings.TrimSpace(rest), " kB")
	if !found {
		return 0, fmt.Errorf("VmRSS isn't in kB: %.100s", rest)
	}
	return strconv.ParseFloat(number, 64)
}

// childrenOf maps processes to those that they started.
func childrenOf() (map[int][]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			return nil, err
		}
		// pid (name) state parent …, where the name may have spaces and brackets
		_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			return nil, fmt.Errorf("%s has no parent: %s", file, stat)
		}
		parent, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, err
		}
		children[parent] = append(children[parent], pid)
	}
	return children, nil
}
