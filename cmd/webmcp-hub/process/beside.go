package process

import "context"

// Beside runs serve in a goroutine until the returned function is called; that function waits for the end.
func Beside(ctx context.Context, serve func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan struct{})
	go func() {
		defer close(served)
		serve(ctx)
	}()
	return func() {
		cancel()
		<-served
	}
}
