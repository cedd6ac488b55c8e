package cdpclient

// Wire is one duplex stream of whole CDP messages. Read is called by one
// goroutine and Write by one other; Close may be called by anyone, more than
// once, and unblocks both.
type Wire interface {
	// Read returns the next message. The slice is the caller's to keep. Before
	// it waits it lets other goroutines run, see package yield. After a [*TooLarge] the
	// next message can be read.
	Read() ([]byte, error)
	// Write sends one message. It does not keep the slice.
	Write([]byte) error
	Close() error
}
