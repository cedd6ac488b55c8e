// Package launch finds an installed Chrome and starts it, with a debugging pipe
// instead of a port: [Start] returns a [Chrome] that answers, and
// [cdpclient.NewConn] speaks over its Wire.
//
// Chrome ends with this process, however this process ends: its pipe closes, and
// on Linux the kernel kills it too. Without a profile of the user's it gets a
// temporary one, which Close removes; those that killed processes left behind are
// removed by the next Start that needs one. When Chrome doesn't start, the error
// says why as far as Chrome's log and exit code tell, and what to do.
//
// With Options.Outlives Chrome lives as long as any process holds the ends of its
// pipe ([Chrome.Ends]): a process that has been given them goes on by [Adopt].
//
// Functions may be called from any goroutine. Nothing here writes to stdout.
package launch
