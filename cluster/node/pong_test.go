package node

import (
	"errors"
	"testing"

	"google.golang.org/grpc"

	"webmcphub/cluster/api"
	"webmcphub/cluster/mailbox"
	"webmcphub/cluster/pages"
)

// untilPong is a stream that counts pages' events, and ends with the first pong.
type untilPong struct {
	grpc.BidiStreamingServer[api.WatchRequest, api.WatchResponse]
	events int
	pong   *api.WatchResponse_Pong
}

var errPong = errors.New("a pong")

func (s *untilPong) Send(m *api.WatchResponse) error {
	if m.GetPage() != nil {
		s.events++
	}
	if s.pong = m.GetPong(); s.pong != nil {
		return errPong
	}
	return nil
}

// However many events of pages wait for a gateway, it gets its pong.
func TestPongAmongManyEvents(t *testing.T) {
	n := &Node{}
	n.newest.Store(&pages.Snapshot{})
	w := &watch{ctx: t.Context(), base: &pages.Snapshot{}, unsent: mailbox.New[*api.WatchResponse](maxUnsent)}
	for range 2 * maxUnsent {
		w.unsent.Put(&api.WatchResponse{Event: &api.WatchResponse_Page{Page: &api.PageEvent{}}})
	}
	w.pong(6)
	w.pong(7)
	s := &untilPong{}
	if err := n.send(w, s); !errors.Is(err, errPong) || s.pong.GetSeq() != 7 || s.events != maxUnsent {
		t.Errorf("it gets %v after %d events (%v)", s.pong, s.events, err)
	}
}
