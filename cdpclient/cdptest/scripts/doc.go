// Package scripts decodes the scripts that hubs install in the fake Chrome, each once.
//
// Hubs send the same few scripts for each document of each test, some ten thousand characters a
// document. Under the race detector decoding them anew took 40 % of the processor time of tests of
// hubs. Any goroutine may call it; what is remembered is for the whole process, and bounded.
package scripts
