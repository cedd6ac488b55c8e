// Package policy has the flags by which users say what agents may do, and what is logged of that (the audit log). It
// also tells which rule decides about a tool.
package policy
