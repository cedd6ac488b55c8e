// Package launch finds an installed Chrome and starts it with a debugging pipe instead of a port. [Start] returns a
// [Chrome] that answers; pass its Wire to [cdpclient.NewConn].
//
// Chrome ends with this process, however this process ends: its pipe closes, and on Linux the kernel also kills it.
// Without a user's profile Chrome gets a temporary one, which Close removes. Profiles that killed processes left
// behind are removed by the next Start that needs a temporary profile. If Chrome doesn't start, the error says why,
// as far as Chrome's log and exit code tell, and what to do.
//
// Chrome gets only the variables of this process's environment that it needs: the rest may hold secrets, and Chrome
// runs untrusted pages.
//
// With Options.Outlives, Chrome lives as long as any process holds the ends of its pipe ([Chrome.Ends]). A process
// that has received them continues with [Adopt]. Adopt is only for a Chrome that an earlier hub launched: if the hub
// can't continue, it ends that Chrome.
//
// Functions may be called from any goroutine. Nothing here writes to stdout.
package launch
