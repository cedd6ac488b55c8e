//go:build unix

package share

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
)

// sendFiles writes a line, and sends duplicates of files with it.
func sendFiles(conn *net.UnixConn, line []byte, files []*os.File) error {
	var copies []int
	defer func() {
		for _, fd := range copies {
			_ = syscall.Close(fd)
		}
	}()
	for _, f := range files {
		fd, err := duplicate(f)
		if err != nil {
			return err
		}
		copies = append(copies, fd)
	}
	n, _, err := conn.WriteMsgUnix(line, syscall.UnixRights(copies...), nil)
	if err == nil && n < len(line) {
		_, err = conn.Write(line[n:])
	}
	return err
}

// duplicate returns a descriptor of its own for f. If f's descriptor were sent, f could not be closed while the
// reader doesn't read.
func duplicate(f *os.File) (fd int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(of uintptr) {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		if fd, err = syscall.Dup(int(of)); err == nil {
			syscall.CloseOnExec(fd)
		}
	})
	if failed != nil {
		return 0, failed
	}
	return fd, err
}

// filesReader reads from a connection, and keeps the open files that come with what it reads.
type filesReader struct {
	conn *net.UnixConn

	mu    sync.Mutex
	files []*os.File
}

// newFilesReader returns nil if conn can't carry files.
func newFilesReader(conn net.Conn) *filesReader {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return nil
	}
	return &filesReader{conn: c}
}

func (r *filesReader) Read(p []byte) (int, error) {
	rights := make([]byte, syscall.CmsgSpace(4*maxFiles))
	n, rn, _, _, err := r.conn.ReadMsgUnix(p, rights)
	if rn > 0 {
		r.keep(rights[:rn])
	}
	if n == 0 && err == nil && len(p) > 0 {
		err = io.EOF
	}
	return max(n, 0), err // n is -1 with errors
}

func (r *filesReader) keep(rights []byte) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			r.files = append(r.files, os.NewFile(uintptr(fd), "of the owner"))
		}
	}
}

// take returns the files that have come. They belong to the caller then.
func (r *filesReader) take() []*os.File {
	r.mu.Lock()
	defer r.mu.Unlock()
	files := r.files
	r.files = nil
	return files
}
