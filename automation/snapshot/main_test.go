package snapshot

import (
	"testing"

	"webmcphub/automation/automationtest"
)

func TestMain(m *testing.M) { automationtest.Main(m) }
