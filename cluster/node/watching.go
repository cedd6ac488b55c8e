package node

import (
	"context"

	"google.golang.org/grpc"

	"webmcphub/cluster/api"
	"webmcphub/cluster/transport"
)

// Watcher is an [Automation] that shows tabs to the users of gateways, and lets the users operate the tabs. Screens of
// two gateways are different ones, even if they have the same name. Any goroutine may call its methods.
type Watcher interface {
	// Watch shows a tab until ctx ends, or until it can't show the tab any longer; the error says why. begun is called
	// when [Watcher].Look can be called.
	Watch(ctx context.Context, gateway string, w *api.ShowRequest, begun func()) error
	// Look waits for a new picture, or for a change of the tab's state.
	Look(ctx context.Context, gateway string, of *api.ScreenRef) (*api.ScreenView, error)
	// TakeOver gives a tab to a person until ctx ends, or until the tab is no longer theirs. yours is called when the
	// person has the tab.
	TakeOver(ctx context.Context, gateway string, of *api.ScreenRef, yours func()) error
	// Drive carries out a person's input.
	Drive(ctx context.Context, gateway string, d *api.DriveRequest) error
}

// show carries out a request that concerns a tab's picture.
func (s services) show(ctx context.Context, do func(ctx context.Context, by Watcher, gateway string) error) error {
	by, shows := s.automates.(Watcher)
	if !shows {
		return transport.Refuse("the node " + s.options.Name + " was started without --automation, so it shows no " +
			"pictures of tabs")
	}
	return s.carryOut(ctx, &running{}, func(ctx context.Context, _ begun) error {
		return do(ctx, by, transport.CallerOf(ctx).Name)
	})
}

// Show shows a tab while the stream lasts.
func (s services) Show(w *api.ShowRequest, stream grpc.ServerStreamingServer[api.ShowResponse]) error {
	return s.show(stream.Context(), func(ctx context.Context, by Watcher, gateway string) error {
		return by.Watch(ctx, gateway, w, func() { _ = stream.Send(&api.ShowResponse{}) })
	})
}

// Look waits for something new to show.
func (s services) Look(ctx context.Context, of *api.ScreenRef) (shown *api.ScreenView, err error) {
	err = s.show(ctx, func(ctx context.Context, by Watcher, gateway string) (err error) {
		shown, err = by.Look(ctx, gateway, of)
		return err
	})
	return shown, err
}

// TakeOver gives a tab to a person while the stream lasts.
func (s services) TakeOver(of *api.ScreenRef, stream grpc.ServerStreamingServer[api.TakeOverResponse]) error {
	return s.show(stream.Context(), func(ctx context.Context, by Watcher, gateway string) error {
		return by.TakeOver(ctx, gateway, of, func() { _ = stream.Send(&api.TakeOverResponse{}) })
	})
}

// Drive carries out a person's input.
func (s services) Drive(ctx context.Context, d *api.DriveRequest) (*api.DriveResponse, error) {
	return &api.DriveResponse{}, s.show(ctx, func(ctx context.Context, by Watcher, gateway string) error {
		return by.Drive(ctx, gateway, d)
	})
}
