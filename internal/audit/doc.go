// Package audit writes who called which tool of which site, and which tools sites registered, to a file of JSON lines.
//
// # What lives here
//
//   - [Tenant] takes calls ([Tenant.Called]), decisions about them ([Tenant.Decided]), catalogs ([Tenant.Apply]) and
//     events of pinned tools ([Tenant.Pinned]);
//   - [Log] writes the lines of all tenants to the file, in one goroutine. A Log is itself a Tenant without a name,
//     for a hub without tenants. [Log.Begin] makes tenants with names;
//   - the file is readable by its owner only, and rotated by size.
//
// # Promises
//
//   - Neither a call nor the registry ever waits for the file. The queue is bounded: if it is full, calls are
//     dropped, and a line says how many. Catalogs are never dropped: a newer one replaces its tenant's waiting one,
//     so only changes that were reverted meanwhile are missing.
//   - Arguments are never written, only their hash.
//   - [Open] fails if the file can't be written. If the file can't be written later (a full disk), lines are lost.
//     The hub's own log says so once, and the audit log says how many once it can be written again.
//   - [Log.Close] writes what waits.
//   - Several processes may write to one file: each writes whole lines, and finds the new file after another process
//     rotated it.
//
// # Concurrency
//
// All methods may be called from any goroutine.
package audit
