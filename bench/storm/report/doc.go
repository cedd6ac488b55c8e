// Package report writes what storms gave: a table for people ([Table]), JSON for
// programs ([JSON]), and plots ([Plot], [Tradeoff]). It measures nothing.
package report
