// Package mask leaves secrets out of what the hub writes and shows: recordings, the audit log, the live page and its
// exports, the log, performance traces, and snapshots that are saved.
//
// # What lives here
//
//   - [Masker.Text] masks secrets in a text by their value: numbers of payment cards, JSON Web Tokens, private keys,
//     the keys of well-known services (rules.txt), texts of high entropy, and what a text says a password or the
//     like is.
//   - [Masker.Copy] masks the strings of JSON of any length, such as a performance trace.
//   - [Name] and [Masker.Member] judge a value by the name of its member.
//   - [Schema] judges parameters by the tool's schema, and [Field] a field by its type and autocomplete.
//   - [Masker.Address] masks the secrets in an address, and keeps where it leads.
//   - [Handler] masks what is logged.
//
// # Promises
//
//   - A text without secrets is returned as it is.
//   - The time for a text grows linearly with its length.
//   - Whatever can't be told from an ordinary id stays: UUIDs, hashes in hexadecimal, and ids of fewer than 32
//     characters, unless their name says that they are secret.
//
// All functions and methods may be called from any goroutine.
package mask
