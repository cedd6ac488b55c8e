package registry

// Effect is something that the caller of [State.Step] must do. Effects are carried out in the order in which Step
// returns them: first the new catalog, and only then the notification that makes clients read it.
type Effect interface{ effect() }

// SetCatalog makes a catalog the current one.
type SetCatalog struct{ Catalog *Catalog }

// NotifyListChanged tells clients that the list that they see has changed. Pages has the pages whose tools changed,
// sorted, so that a session can first send the result of a call that caused the change. The empty id stands for the
// tools of sites ([offer.SiteTool]).
type NotifyListChanged struct{ Pages []PageID }

// ArmFlush asks for [FlushDue] after one flush interval.
type ArmFlush struct{}

// ArmSettle asks for [SettleDue] with the same fields after one settle window.
type ArmSettle struct {
	Page PageID
	Seq  uint64
}

// ArmRegistrations asks for [RegistrationsDue] with the same fields when the period is over in which registrations
// are counted ([Options.Registrations]).
type ArmRegistrations struct {
	Page PageID
	Seq  uint64
}

// ReportRefusal reports a page tool that can't be published.
type ReportRefusal struct {
	Page PageID
	Tool string
	Why  string
}

func (SetCatalog) effect()        {}
func (NotifyListChanged) effect() {}
func (ArmFlush) effect()          {}
func (ArmSettle) effect()         {}
func (ArmRegistrations) effect()  {}
func (ReportRefusal) effect()     {}
