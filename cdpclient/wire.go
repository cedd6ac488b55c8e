package cdpclient

// Wire is a duplex stream of whole CDP messages. One goroutine calls Read and one other calls Write. Close may be
// called from any goroutine, more than once, and unblocks both.
type Wire interface {
	// Read returns the next message. The caller may keep the slice. Before Read waits, it lets other goroutines run,
	// see package socket. After a [*TooLarge] the next message can be read.
	Read() ([]byte, error)
	// Write sends one message. It does not keep the slice.
	Write([]byte) error
	Close() error
}
