package mcpserver

// Stats says how much the server does for its clients.
type Stats struct {
	Clients  int // clients that have a session or a running request
	InFlight int // requests that are not answered yet
	Waiting  int // messages that wait for their client to read them
	Leases   int // tabs that clients keep to themselves
}

// Stats returns how much the server does for its clients now.
func (s *Server) Stats() (f Stats) {
	s.sessions.each(func(sess *session) {
		holds := sess.client.Conn.Holds()
		f.Clients++
		f.InFlight += holds.InFlight
		f.Waiting += holds.Waiting
	})
	f.Leases = s.calls.Leases.Held()
	return f
}
