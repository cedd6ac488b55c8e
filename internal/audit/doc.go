// Package audit writes who called which tool of which site, and which tools
// sites registered, to a file of JSON lines.
//
// # What lives here
//
//   - [Tenant]: takes calls ([Tenant.Called]), decisions about them ([Tenant.Decided]),
//     catalogs ([Tenant.Apply]) and what becomes of pinned tools ([Tenant.Pinned]);
//   - [Log]: a tenant without a name, which is the only one unless [Log.Begin] makes
//     others; writes all their lines in one goroutine;
//   - the file: readable by its owner only, rotated by size.
//
// # Promises
//
//   - Neither a call nor the registry ever waits for the file. What waits to be
//     written is bounded: beyond that, calls are dropped, counted, and the count
//     is a line of its own. Catalogs are never dropped: a newer one takes the
//     place of its tenant's that waits, so only changes that were undone meanwhile are
//     missing.
//   - Arguments are never written, only their hash.
//   - [Open] fails if the file can't be written. A file that can't be written
//     later (a full disk) costs its lines, one line in the hub's own log, and one
//     in the file, once it can be written again, that says how many.
//   - [Log.Close] writes what waits.
//   - Several processes may write to one file: each writes whole lines, and
//     finds the new file after another one rotated it.
//
// # Concurrency
//
// Any goroutine may call any method.
package audit
