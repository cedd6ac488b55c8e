package policy

import (
	"log/slog"

	"webmcphub/internal/private"
	"webmcphub/trust"
	"webmcphub/trust/approvals"
)

// KeepAnswers stores people's answers that hold until a given time, so that they outlive the hub. It does nothing if
// o has neither rules nor flows, since nobody is asked then. stop ends what KeepAnswers began.
func KeepAnswers(o *trust.Options, log *slog.Logger) (stop func()) {
	if o.Rules == nil && o.Flow == nil {
		return func() {}
	}
	path, err := private.Place("answers")
	if err != nil {
		log.Warn("there is no place for answers that hold until a time, so they are forgotten at the hub's end", "err",
			err)
		return func() {}
	}
	kept := approvals.OpenStore(path, log)
	o.Answers = kept
	return kept.Close
}
