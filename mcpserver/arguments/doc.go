// Package arguments checks the arguments of tool calls against the tools' JSON Schemas, and says in plain words what
// is wrong with them.
//
// The schemas come from pages, so they may be wrong or hostile. References out of a schema are not followed, compiled
// schemas are kept in bounded memory, and arguments are not checked if that would take too long (cost.go). A schema
// that can't be used accepts everything, because the page checks its arguments itself. The text that the agent reads
// (explain.go) names each fault by its JSON pointer.
package arguments
