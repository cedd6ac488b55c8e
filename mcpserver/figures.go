package mcpserver

// Figures are what a server's clients have it carry.
type Figures struct {
	Clients  int // that have a session, or a request under way
	InFlight int // requests that are not answered yet
	Waiting  int // messages that wait for their client to read
	Leases   int // tabs that clients keep to themselves
}

// Figures says what the clients have the server carry now.
func (s *Server) Figures() (f Figures) {
	s.sessions.each(func(sess *session) {
		holds := sess.client.Conn.Holds()
		f.Clients++
		f.InFlight += holds.InFlight
		f.Waiting += holds.Waiting
	})
	f.Leases = s.calls.Leases.Held()
	return f
}
