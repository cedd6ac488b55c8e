// Package process has what the programs of this module need as processes: signals, standard input, the terminal, and
// settings of the Go runtime. It also has what the programs serve and export: MCP over HTTP ([HTTPFlags]), traces
// ([OTLPFlags]), the categories of browser tools ([CategoriesFlag]), and a line on the terminal while Chrome is
// awaited ([AwaitedChrome]).
//
// Each function but Beside is called once, by a command at its start.
package process
