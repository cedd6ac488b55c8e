// Package find finds tools by words: it has the index of what catalogs publish, and says in
// one line how a tool is called.
//
// # What lives here
//
//   - [Signature]: a tool's name and parameters in one line.
//
// # Promises
//
// What pages say is untrusted: everything is bounded, in memory and in time, whatever they
// register, and a signature is always one line.
//
// The package imports the standard library, registry and its leaves only. It has no
// goroutine, clock or logger.
package find
