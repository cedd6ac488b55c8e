package policy

import (
	"log/slog"
	"slices"

	"webmcphub/internal/private"
	"webmcphub/trust"
	"webmcphub/trust/approvals"
)

// KeepAnswers stores people's answers that hold until a given time, and their permissions for sites, so that they
// outlive the hub. It does nothing if there can't be any: if o has neither rules nor flows, so that nobody is asked, the
// hub has no popup in which to set permissions, and none was set at an earlier hub. stop ends what KeepAnswers began.
func KeepAnswers(o *trust.Options, popup bool, log *slog.Logger) (stop func()) {
	path, err := private.Place("answers")
	if o.Rules == nil && o.Flow == nil && !popup && (err != nil || !permitted(path)) {
		return func() {}
	}
	if err != nil {
		log.Warn("there is no place for answers that hold until a time, so they are forgotten at the hub's end", "err",
			err)
		return func() {}
	}
	kept := approvals.OpenStore(path, log)
	o.Answers = kept
	return kept.Close
}

// permitted reports whether a folder of answers may have permissions for sites.
func permitted(path string) bool {
	all, err := approvals.List(path)
	if err != nil {
		return true // the store logs why
	}
	return slices.ContainsFunc(all, func(l approvals.Lasting) bool { return l.Permission() != approvals.Default })
}
