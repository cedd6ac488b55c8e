package actors_test

import (
	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/registry"
)

// deaths are the rows of the registry actor.
func deaths() []Death {
	var all []Death
	reg := func(message string, provoke func(*Scene)) *Death {
		all = append(all, Death{Actor: "registry", Message: message, Provoke: provoke})
		return &all[len(all)-1]
	}
	reg("*actor.Started", Nothing).Early = true
	reg("*actor.Stopping", Stops)
	reg("*actor.Stopped", Stops)
	reg("tab.Report", Registers)
	reg("supervisor.Answered", Connects)
	reg("supervisor.Resync", PanicsIn("registry", "tab.Report"))
	reg("registry.PageOpened", NewTab)
	reg("registry.PageClosed", Closes)
	reg("registry.PageChanged", Navigates)
	reg("registry.Navigated", Navigates)
	reg("registry.BrowserChanged", Nothing).Early = true
	reg("registry.BrowserChanged", Gone).Cuts = true
	reg("registry.TabsReopened", func(s *Scene) {
		s.Dialer.Crashing(func(address func() string) { address() })
		Gone(s)
	}).Cuts = true
	reg("registry.FlushDue", Registers)
	reg("registry.ActivatedByHub", Orders)
	for _, e := range []registry.Event{
		registry.FramesReported{}, registry.ToolsReported{}, // pages send them in a pageReport
		registry.SettleDue{}, registry.RegistrationsDue{},
		registry.OffersReported{}, registry.ResourcesUpdated{}, registry.PageLogged{},
		registry.PageInFront{},
		registry.PageEvent{},
		registry.FoundInFront{},
		registry.ExtensionChanged{},
		registry.BrowsersNamed{},
		registry.CacheChanged{},
		registry.PinsChanged{},
		registry.EventBatch{},
	} {
		reg(TypeName(e), func(s *Scene) { s.TellRegistry(e) })
	}
	return all
}
