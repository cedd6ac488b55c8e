// Package procs starts the processes of a cluster that is measured, freezes and kills them, and
// reads what they take from /proc.
//
// # What lives here
//
//	process.go  one process: starting, signals, its end, the last of what it said
//	orphans_*   processes don't outlive the one that started them
//	usage.go    memory, processor time and written bytes
//	etcd.go     etcd, of one member or of several
//	ports.go    free ports of this machine
//	machine.go  what machine it is, and how busy
//
// # Concurrency
//
// A [Process]'s methods may be called from any goroutine.
package procs
