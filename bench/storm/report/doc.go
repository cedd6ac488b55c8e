// Package report writes what storms gave: a table for people ([Table]), JSON for
// programs ([JSON]), and plots ([Plot], [Tradeoff]). It also draws what bench/peers
// measured ([Compare]). It measures nothing.
package report
