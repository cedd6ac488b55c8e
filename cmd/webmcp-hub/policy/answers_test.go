package policy

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"webmcphub/internal/private"
	"webmcphub/trust"
)

// TestAnswersThatCantBeRead: a hub that can't read the answers says so, even if it would keep none.
func TestAnswersThatCantBeRead(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	path, err := private.Place("answers")
	if err == nil {
		err = os.MkdirAll(path, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(path, "answers.json"), []byte("{"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	var o trust.Options
	KeepAnswers(&o, false, slog.New(slog.NewTextHandler(&log, nil)))()
	if o.Answers == nil || !strings.Contains(log.String(), "it is broken") {
		t.Errorf("it says %q", &log)
	}
}
