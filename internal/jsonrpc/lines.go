package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong is a line that was longer than allowed and has been skipped.
var ErrLineTooLong = errors.New("line too long")

// Reader reads lines.
type LineReader struct {
	r   *bufio.Reader
	max int
}

// New reads lines of at most max bytes.
func NewLineReader(in io.Reader, max int) *LineReader {
	return &LineReader{bufio.NewReaderSize(in, 64<<10), max}
}

// Next gives the next line that isn't blank, without its line break, in memory
// of its own. It returns [ErrTooLong] for a line that was skipped, after which
// reading goes on; any other error is the end. A last line without a line
// break counts.
func (l *LineReader) Next() ([]byte, error) {
	for {
		line, err := l.line()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

func (l *LineReader) line() ([]byte, error) {
	var long []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(long)+len(part) > l.max+len("\r\n") {
			return nil, l.skip(err)
		}
		if err == bufio.ErrBufferFull {
			long = append(long, part...)
			continue
		}
		if err != nil && (err != io.EOF || len(long)+len(part) == 0) {
			return nil, err
		}
		return append(long, part...), nil
	}
}

// skip reads on to the line's end; err is what the last read returned.
func (l *LineReader) skip(err error) error {
	for err == bufio.ErrBufferFull {
		_, err = l.r.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return err
	}
	return ErrLineTooLong
}
