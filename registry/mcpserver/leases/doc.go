// Package leases has the tabs that clients keep to themselves ([Leases]): focus_tab with
// exclusive, and who may touch such a tab then.
//
// It knows clients and what they focus, and carries out nothing. Any goroutine may use it.
package leases
