package registry

// Effect is something [State.Step] wants done. Effects are carried out in the
// order in which they are returned: the new catalog, and only then the
// notification that makes clients read it.
type Effect interface{ effect() }

// Serve makes a catalog the current one.
type Serve struct{ Catalog *Catalog }

// NotifyListChanged tells clients that the list they can see changed.
// Pages are those whose tools changed, sorted, so that a session can
// send the result of a call that caused the change first. The empty id stands
// for tools of sites ([offer.Routed]).
type NotifyListChanged struct{ Pages []PageID }

// ArmFlush asks for [FlushDue] one flush interval from now.
type ArmFlush struct{}

// ArmSettle asks for [SettleDue], with the same fields, one settle window from now.
type ArmSettle struct {
	Page PageID
	Seq  uint64
}

// ArmRegistrations asks for [RegistrationsDue], with the same fields, when the time is over
// in which registrations are counted ([Options.Registrations]).
type ArmRegistrations struct {
	Page PageID
	Seq  uint64
}

// Refuse reports a page tool that can't be published.
type Refuse struct {
	Page PageID
	Tool string
	Why  string
}

func (Serve) effect()             {}
func (NotifyListChanged) effect() {}
func (ArmFlush) effect()          {}
func (ArmSettle) effect()         {}
func (ArmRegistrations) effect()  {}
func (Refuse) effect()            {}
