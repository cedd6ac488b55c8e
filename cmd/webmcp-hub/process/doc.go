// Package process is what concerns the program as a process of its system: its
// signals, its standard input, the terminal at its other end, and how the Go runtime behaves in it. Each function is
// called once, by a command at its start.
package process
