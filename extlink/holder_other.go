//go:build !linux

package extlink

// PortHolder returns "": the hub can't find the process on this system.
func PortHolder(int) string { return "" }
