package commands

import (
	"log/slog"

	"webmcphub/trust/pins"
	"webmcphub/trust/pins/store"
)

// PinFlags say what becomes of tools whose definitions were never accepted.
type PinFlags struct {
	Pins string `group:"common" enum:"off,warn,hold" default:"off" help:"Remember the definitions of each site's tools from its first visit. Later changes that matter to an agent are marked in the tool's description and the log (warn), or withheld until a person accepts them, for example by \"webmcp-hub pins accept ORIGIN\" (hold)."`
	PinsFolder
}

// Open opens the pins, with the mode of the flags and otherwise by r. It returns nil if the flags ask for no pins.
// noted is as in [store.Options].
func (f PinFlags) Open(r pins.Rules, noted func(store.Note), log *slog.Logger) (*store.Store, error) {
	if r.Mode = pins.Mode(f.Pins); r.Mode == pins.Off {
		return nil, nil
	}
	folder, err := f.Folder()
	if err != nil {
		return nil, err
	}
	return store.Open(store.Options{Folder: folder, Rules: r, Logger: log, Noted: noted}), nil
}
