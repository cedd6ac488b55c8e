package policy

import (
	"errors"
	"log/slog"
	"strconv"

	"webmcphub/internal/audit"
)

// These are the defaults of the flags for the audit log.
const (
	defaultSize    = 10 // MiB
	defaultBackups = 5
)

// AuditVars are the variables in the flags' tags.
var AuditVars = map[string]string{"auditSize": strconv.Itoa(defaultSize), "auditBackups": strconv.Itoa(defaultBackups)}

// AuditFlags say whether and where calls and registrations are logged.
type AuditFlags struct {
	AuditLog     string `type:"path" placeholder:"FILE" help:"Write every call and every change of pages' tools to this file, as lines of JSON: time, client, site, tool, a hash of the arguments and the outcome, never the arguments themselves."`
	AuditSize    int    `default:"${auditSize}" placeholder:"MIB" help:"The size in MiB at which a new file is begun."`
	AuditBackups int    `default:"${auditBackups}" help:"How many older files are kept beside it, as FILE.1 and so on."`
}

// Check returns an error for flags that contradict each other.
func (f AuditFlags) Check() error {
	if f.AuditLog == "" && (f.AuditSize != defaultSize || f.AuditBackups != defaultBackups) {
		return errors.New("--audit-size and --audit-backups go with --audit-log only: without it nothing is " +
			"written down")
	}
	if f.AuditSize < 1 || f.AuditBackups < 0 {
		return errors.New("--audit-size must be at least 1, and --audit-backups at least 0")
	}
	return nil
}

// Open opens the log. It returns nil if the flags ask for none.
func (f AuditFlags) Open(log *slog.Logger) (*audit.Log, error) {
	if f.AuditLog == "" {
		return nil, nil
	}
	return audit.Open(audit.Options{Path: f.AuditLog, MaxSize: int64(f.AuditSize) << 20, Backups: f.AuditBackups,
		Logger: log})
}
