package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLineTooLong is the error for a line that was longer than allowed and has been skipped.
var ErrLineTooLong = errors.New("line too long")

// LineReader reads lines.
type LineReader struct {
	r   *bufio.Reader
	max int
}

// NewLineReader returns a reader of lines of at most max bytes.
func NewLineReader(in io.Reader, max int) *LineReader {
	return &LineReader{bufio.NewReaderSize(in, 64<<10), max}
}

// Next returns the next line that isn't blank, without its line break, in memory of its own. It returns
// [ErrLineTooLong] for a line that was skipped; reading can go on after that. Any other error is the end. A last line
// without a line break counts.
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

// skip reads to the end of the line; err is what the last read returned.
func (l *LineReader) skip(err error) error {
	for err == bufio.ErrBufferFull {
		_, err = l.r.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return err
	}
	return ErrLineTooLong
}
