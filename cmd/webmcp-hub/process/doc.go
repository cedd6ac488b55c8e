// Package process has what the programs of this module need as processes: signals, standard input, the terminal, the Go
// runtime, and what they serve and export: MCP over HTTP ([HTTPFlags]), traces ([OTLPFlags]), the categories of browser
// tools ([CategoriesFlag]), and a line on the terminal while Chrome is awaited ([AwaitedChrome]).
//
// All functions but Beside are called once, by a command at its start.
package process
