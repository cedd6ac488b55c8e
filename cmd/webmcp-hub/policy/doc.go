// Package policy has the flags by which users say what agents may do, and what of it is written down (the audit log).
// It also answers which rule decides about a tool.
package policy
