package link

// core decides about the link to one peer. It is pure: whoever owns it carries its effects out, in
// their order.
//
// A gateway begins a link by dialling, under a session's name of its own; the node answers by
// dialling back under the same name. So there are two streams, one for each way, and either's end
// is the end of both: what follows is a new link, with another name.
type core struct {
	opens   bool   // we are the gateway: we begin
	address string // where the peer was dialled last
	session string // the link's name; "" while there is none
	in      uint64 // the stream whose messages are heard; 0 while there is none
	silent  int    // for how many ticks in a row nothing has come
	trouble string // why the peer couldn't be reached when that was tried last
	epoch   uint64 // how many links have been lost
}

// patience is how many ticks without a sign of life end a link.
const patience = 5

// event is what happens to the link to a peer.
type event interface{ event() }

type (
	// sending is a message to send, in the given epoch. A link that it begins is called name.
	sending struct {
		frames  [][]byte
		epoch   uint64
		address string
		name    string
	}
	// came is a stream from the peer, for the link that is named.
	came struct {
		stream           uint64
		session, address string
	}
	// inEnded says that a stream from the peer is over.
	inEnded struct {
		stream uint64
		why    string
	}
	// outEnded says that our stream to the peer is over.
	outEnded struct{ session, why string }
	// unreached says that the peer wasn't reached. It is tried again.
	unreached struct{ session, why string }
	// reached says that it was.
	reached struct{ session string }
	// ticked says that another period of a link has passed, and whether anything came in it.
	ticked struct {
		session string
		heard   bool
	}
	// panicked says that dealing with another event led to a panic.
	panicked struct{ why string }
)

func (sending) event()   {}
func (came) event()      {}
func (inEnded) event()   {}
func (outEnded) event()  {}
func (unreached) event() {}
func (reached) event()   {}
func (ticked) event()    {}
func (panicked) event()  {}

// effect is what is to be done.
type effect interface{ effect() }

type (
	// dial opens our stream to the peer, and keeps trying to.
	dial struct{ session, address string }
	// hand gives frames to our stream, to be sent when it is open.
	hand struct{ frames [][]byte }
	// listen has the messages of a stream heard from now on.
	listen struct{ stream uint64 }
	// hangUp ends our stream.
	hangUp struct{}
	// end ends a stream from the peer.
	end struct {
		stream uint64
		why    string
	}
	// lost tells our side that the link is over.
	lost struct{ why string }
	// arm has the link's next tick come.
	arm struct{ session string }
)

func (dial) effect()   {}
func (hand) effect()   {}
func (listen) effect() {}
func (hangUp) effect() {}
func (end) effect()    {}
func (lost) effect()   {}
func (arm) effect()    {}

// Step takes an event in.
func (c *core) Step(e event) []effect {
	switch e := e.(type) {
	case sending:
		return c.sending(e)
	case came:
		return c.came(e)
	case inEnded:
		if e.stream == c.in {
			return c.lose(e.why)
		}
	case outEnded:
		if e.session == c.session {
			return c.lose(e.why)
		}
	case unreached:
		if e.session == c.session {
			c.trouble = e.why
		}
	case reached:
		if e.session == c.session {
			c.trouble = ""
		}
	case ticked:
		if e.session == c.session {
			return c.ticked(e.heard)
		}
	case panicked:
		return c.lose(e.why)
	}
	return nil
}

// sending begins a link where there is none, and also where the peer has moved. A message of an
// earlier epoch is lost, as its sender has been told.
func (c *core) sending(e sending) []effect {
	if e.epoch != c.epoch {
		return nil
	}
	if !c.opens {
		if c.session == "" {
			return nil
		}
		return []effect{hand{e.frames}}
	}
	var effects []effect
	if c.session != "" && e.address != c.address {
		effects = c.lose("it is at " + e.address + " from now on")
	}
	if c.session == "" {
		effects = append(effects, c.begin(e.name, e.address)...)
	}
	return append(effects, hand{e.frames})
}

func (c *core) begin(session, address string) []effect {
	c.session, c.address = session, address
	c.in, c.silent, c.trouble = 0, 0, ""
	return []effect{dial{session, address}, arm{session}}
}

// came takes a stream if it belongs to the link that there is; a node takes one that begins another
// link, too.
func (c *core) came(e came) []effect {
	if c.opens {
		if e.session != c.session || c.in != 0 {
			return []effect{end{e.stream, "it belongs to an earlier link"}}
		}
		c.in = e.stream
		return []effect{listen{e.stream}}
	}
	var effects []effect
	if c.session != "" {
		effects = c.lose("it began anew")
	}
	effects = append(effects, c.begin(e.session, e.address)...)
	c.in = e.stream
	return append(effects, listen{e.stream})
}

func (c *core) ticked(heard bool) []effect {
	c.silent++
	if heard {
		c.silent = 0
	}
	if c.silent < patience {
		return []effect{arm{c.session}}
	}
	switch {
	case c.trouble != "":
		return c.lose("it couldn't be reached: " + c.trouble)
	case c.in == 0:
		return c.lose("it didn't connect back to us: can it reach our address?")
	}
	return c.lose("nothing was heard of it for too long")
}

// lose ends the link, if there is one.
func (c *core) lose(why string) []effect {
	if c.session == "" {
		return nil
	}
	effects := []effect{hangUp{}}
	if c.in != 0 {
		effects = append(effects, end{c.in, why})
	}
	c.session, c.in = "", 0
	c.epoch++
	return append(effects, lost{why})
}
