package main

import (
	"log/slog"

	"webmcphub/actors"
	"webmcphub/cmd/webmcp-hub/commands"
	"webmcphub/cmd/webmcp-hub/person"
	"webmcphub/internal/audit"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry/offer"
	"webmcphub/trust"
	"webmcphub/trust/pins"
	"webmcphub/trust/pins/store"
)

type pinFlags = commands.PinFlags

// pin adds to x what pins tools, if the flags ask for pins.
func (x *extras) pin(f pinFlags, written *audit.Log, log *slog.Logger) error {
	var noted func(store.Note)
	if written != nil {
		noted = func(n store.Note) { written.Pinned(n.Origin, n.Tool, n.What, n.Why) }
	}
	pinned, err := f.Open(pins.Rules{Site: registeredDomain, Permits: x.origins.PermitsOrigin}, noted, log)
	if err != nil || pinned == nil {
		return err
	}
	x.holds = f.Pins == string(pins.Hold)
	x.pins, x.publishers, x.closers = pinned, append(x.publishers, pinned), append(x.closers, pinned.Close)
	if person.ScriptsGrant() {
		end, err := pinned.Folder().AllowScripts()
		if err != nil {
			return err
		}
		x.closers = append(x.closers, end)
		log.Warn("scripts may accept what sites change, because of the environment variable " + person.ScriptsVariable)
	}
	x.started = append(x.started, func(h *actors.Hub) {
		pinned.Start(func(b *pins.Book) { h.SetPins(b) })
	})
	return nil
}

// registryPins returns what the registry asks about tools; nil if nothing is pinned.
func (x *extras) registryPins() offer.Pins {
	if x.pins == nil {
		return nil
	}
	return x.pins.Book()
}

// withheld returns what asks clients' users about withheld tools; nil if nothing is pinned.
func (x *extras) withheld(questions trust.QuestionTracker) calls.PinAsker {
	if x.pins == nil {
		return nil
	}
	return trust.NewPinAsker(x.pins, questions)
}

// pinOwn makes pins mark pages' tools that imitate one of the server's own tools, browser tools among them: any client
// may have these.
func (x *extras) pinOwn(server *mcpserver.Server) {
	if x.pins == nil {
		return
	}
	var own []pins.Own
	for name, description := range server.OwnTools("all") {
		own = append(own, pins.Own{Name: name, Description: description})
	}
	x.pins.Own(own)
}
