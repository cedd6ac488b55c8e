package automation

// RunningCalls has the clients whose calls are being carried out. Its user must guard it.
type RunningCalls map[string]*present

type present struct {
	calls int
	gone  bool // the client has gone while its calls run
}

// Enter records that a call of a client begins.
func (p RunningCalls) Enter(client string) {
	if p[client] == nil {
		p[client] = &present{}
	}
	p[client].calls++
}

// Leave records that a call has ended, and says whether nothing of its client is left: no other call is running, and
// the client is gone or this was its last call.
func (p RunningCalls) Leave(client string, last bool) (over bool) {
	is := p[client]
	is.calls--
	if is.calls > 0 {
		return false
	}
	delete(p, client)
	return last || is.gone
}

// Gone records that a client is gone, if calls of it are still running.
func (p RunningCalls) Gone(client string) {
	if is := p[client]; is != nil {
		is.gone = true
	}
}
