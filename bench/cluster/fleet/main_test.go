package fleet

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	Chrome()
	goleak.VerifyTestMain(m)
}
