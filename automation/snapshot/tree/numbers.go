package tree

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// indices and rows are arrays of numbers. A DOMSnapshot consists mostly of them, and encoding/json takes several times
// as long to decode them.
type (
	indices               []int
	rows[T int | float64] [][]T
)

// UnmarshalJSON reads what Chrome writes, and leaves everything else to encoding/json.
func (c *indices) UnmarshalJSON(raw []byte) error {
	if all, ok := numbers[int](raw, 1); ok {
		*c = all[0]
		return nil
	}
	return json.Unmarshal(raw, (*[]int)(c))
}

// UnmarshalJSON does the same for rows.
func (r *rows[T]) UnmarshalJSON(raw []byte) error {
	if all, ok := numbers[T](raw, 2); ok {
		*r = all
		return nil
	}
	return json.Unmarshal(raw, (*[][]T)(r))
}

// numbers returns the innermost arrays of a valid JSON value that is an array of numbers (depth is 1) or an array of
// such arrays (2), without spaces. It returns false for all other values.
func numbers[T int | float64](raw []byte, depth int) (all [][]T, ok bool) {
	flat := make([]T, 0, bytes.Count(raw, []byte(","))+1)
	in, start := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '[':
			if in++; in > depth {
				return nil, false
			}
			start = len(flat)
		case ']':
			if in == depth {
				all = append(all, flat[start:len(flat):len(flat)])
			}
			in--
		case ',':
		default:
			end := i
			for end < len(raw) && raw[end] != ',' && raw[end] != ']' {
				end++
			}
			n, is := number[T](raw[i:end])
			if !is || in != depth {
				return nil, false
			}
			flat, i = append(flat, n), end-1
		}
	}
	return all, true
}

// number reads a number that T can hold.
func number[T int | float64](raw []byte) (n T, ok bool) {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	whole := 0
	for _, b := range digits {
		if b < '0' || b > '9' || len(digits) > 15 {
			if _, is := any(n).(int); is {
				return 0, false
			}
			f, err := strconv.ParseFloat(string(raw), 64)
			return T(f), err == nil
		}
		whole = whole*10 + int(b-'0')
	}
	if len(digits) < len(raw) {
		whole = -whole
	}
	return T(whole), len(digits) > 0
}
