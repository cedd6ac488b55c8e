package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memory is the resident memory of a process and all its descendants, in MiB: the
// sum of their VmRSS. Pages that they share count more than once.
func memory(pid int) (float64, error) {
	children, err := childrenOf()
	if err != nil {
		return 0, err
	}
	var kib float64
	for todo := []int{pid}; len(todo) > 0; {
		p := todo[0]
		todo = append(todo[1:], children[p]...)
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
