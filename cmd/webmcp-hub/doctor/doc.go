// Package doctor looks at what the hub needs on this computer, and says of what is
// missing how to remedy it: a Chrome that starts and has WebMCP switched on, a
// profile, tokens, ports, logs, and other hubs that answer. [Look.Examine] looks and
// [Report] tells. Nothing is changed, and no file is left behind.
package doctor
