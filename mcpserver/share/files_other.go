//go:build !unix

package share

import (
	"errors"
	"net"
	"os"
)

func sendFiles(*net.UnixConn, []byte, []*os.File) error {
	return errors.New("this system can't pass open files to other processes")
}

// filesReader is never used on this system.
type filesReader struct{ net.Conn }

func newFilesReader(net.Conn) *filesReader { return nil }

func (r *filesReader) take() []*os.File { return nil }
