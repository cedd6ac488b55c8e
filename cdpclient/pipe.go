package cdpclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"webmcphub/internal/socket"
)

// NewPipeWire returns a wire in the --remote-debugging-pipe format over r and w: a NUL follows each message. The wire
// owns both and closes both.
func NewPipeWire(r io.ReadCloser, w io.WriteCloser) Wire {
	return &pipeWire{r: r, w: w, br: bufio.NewReaderSize(socket.YieldingReader(r), 64<<10), limit: maxMessage}
}

type pipeWire struct {
	r io.ReadCloser
	w io.WriteCloser
	// These belong to the reader.
	br    *bufio.Reader
	limit int // of a message, in bytes

	writing sync.Mutex // guards out
	out     []byte     // the buffer for a message and its NUL, so that one system call sends both

	once sync.Once
	err  error
}

func (p *pipeWire) Read() ([]byte, error) {
	var long []byte // the parts that filled the reader's buffer
	for {
		part, err := p.br.ReadSlice(0)
		switch {
		case err == nil && long == nil:
			return bytes.Clone(part[:len(part)-1]), nil
		case err == nil:
			long = append(long, part...)
			return long[:len(long)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
			if len(long) > p.limit {
				return nil, p.pass(long, part)
			}
			long = append(long, part...)
		case errors.Is(err, io.EOF) && len(long)+len(part) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// pass reads to the end of a message that is too large. long and part are the parts that have been read.
func (p *pipeWire) pass(long, part []byte) error {
	start, end := bytes.Clone(long[:min(len(long), socket.Edge)]), socket.Tail{}
	end.Add(long)
	for err := error(bufio.ErrBufferFull); ; part, err = p.br.ReadSlice(0) {
		end.Add(part)
		switch {
		case err == nil:
			return &TooLarge{start, end[:len(end)-1]}
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

func (p *pipeWire) Write(msg []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.out = append(append(p.out[:0], msg...), 0)
	_, err := p.w.Write(p.out)
	if cap(p.out) > 1<<20 {
		p.out = nil
	}
	return err
}

func (p *pipeWire) Close() error {
	p.once.Do(func() { p.err = errors.Join(p.w.Close(), p.r.Close()) })
	return p.err
}
