package cdpclient

import "fmt"

// Wire is one duplex stream of whole CDP messages. Read is called by one
// goroutine and Write by one other; Close may be called by anyone, more than
// once, and unblocks both.
type Wire interface {
	// Read returns the next message. The slice is the caller's to keep. Before
	// it waits it lets other goroutines run, see package yield.
	Read() ([]byte, error)
	// Write sends one message. It does not keep the slice.
	Write([]byte) error
	Close() error
}

// maxMessage bounds one incoming message in bytes. Tool results of 120 MB have
// been seen to work, so this guards against a broken peer only.
const maxMessage = 512 << 20

var errTooLarge = fmt.Errorf("a message of Chrome is larger than %d MiB", maxMessage>>20)
