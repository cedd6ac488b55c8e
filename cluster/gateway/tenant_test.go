package gateway

import (
	"testing"

	"webmcphub/cluster/mailbox"
	"webmcphub/registry"
)

// A tenant that is over has done what it is told: nobody waits for it.
func TestRoomThatIsOverIsDone(t *testing.T) {
	r := &tenantServer{box: mailbox.New[func()](maxWaiting), over: make(chan struct{})}
	done := 0
	r.tell(registry.EventBatch{registry.PageClosed{}}, func() { done++ })
	if done != 0 {
		t.Error("it is done before the tenant has it")
	}
	close(r.over)
	r.tell(registry.EventBatch{registry.PageClosed{}}, func() { done++ })
	r.tell(nil, func() { done++ })
	if done != 3 {
		t.Errorf("%d of 3 are done", done)
	}
}
