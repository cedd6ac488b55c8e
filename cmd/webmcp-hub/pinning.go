package main

import (
	"log/slog"

	"webmcphub/actors"
	"webmcphub/cmd/webmcp-hub/pinscmd"
	"webmcphub/registry/mcpserver"
	"webmcphub/registry/offer"
	"webmcphub/trust/pins"
	"webmcphub/trust/pins/store"
)

// pinFlags say what becomes of tools whose definitions were never accepted.
type pinFlags struct {
	Pins string `group:"common" enum:"off,warn,hold" default:"off" help:"Remember the definitions of each site's tools, as of its first visit. What differs from them later is marked in the tool's description and in the log (warn), or withheld until a person accepts it, for example by \"webmcp-hub pins accept ORIGIN\" (hold)."`
	pinscmd.Place
}

// pin adds to x what pins tools, if that is to be.
func (f pinFlags) pin(x *extras, log *slog.Logger) error {
	if f.Pins == string(pins.Off) {
		return nil
	}
	folder, err := f.Folder()
	if err != nil {
		return err
	}
	x.pins = store.Open(store.Options{
		Folder: folder,
		Rules:  pins.Rules{Mode: pins.Mode(f.Pins), Site: registeredDomain, Permits: x.origins.PermitsOrigin},
		Logger: log,
	})
	x.publishers = append(x.publishers, x.pins)
	x.started = append(x.started, func(h *actors.Hub) {
		x.pins.Start(func(b *pins.Book) { h.Accepted(b) })
	})
	x.closers = append(x.closers, x.pins.Close)
	return nil
}

// standing is what the registry asks of tools; nil where nothing is pinned.
func (x extras) standing() offer.Standing {
	if x.pins == nil {
		return nil
	}
	return x.pins.Book()
}

// pinOwn has pages' tools marked that imitate one of the server's own.
func (x extras) pinOwn(server *mcpserver.Server) {
	if x.pins == nil {
		return
	}
	var own []pins.Own
	for name, description := range server.OwnTools() {
		own = append(own, pins.Own{Name: name, Description: description})
	}
	x.pins.Own(own)
}
