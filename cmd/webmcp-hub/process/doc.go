// Package process is what concerns the program as a process of its system: its
// signals, its standard input, the terminal at its other end, how the Go runtime behaves in it, and what it
// serves beside its main work. All but Beside are called once, by a command at its start.
package process
