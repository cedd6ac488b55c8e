package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const (
	// maxElements is how many elements all arrays of a message have at most, but for those in raw JSON: each becomes
	// a Go value that may be a hundred times as large as its text. What all pages of a node weigh (cluster/replica)
	// has room for half as many.
	maxElements = 1 << 18
	// numbersAnElement is how many numbers of tools count as one element, and how many members of objects do.
	numbersAnElement = 16
	// maxSmall is how many bytes a message has at most whose kind has no need of many.
	maxSmall = 1 << 20
)

// unread are the fields that are kept as the JSON that they are, whichever message they are in. An honest sender writes
// them so; by another case they are read, too, and what is in them counts.
var unread = map[string]bool{
	"Body": true, "Result": true, "Params": true, "Log": true, "Data": true,
	"Args": true, "Meta": true, "Extensions": true, "Events": true,
	"input": true, "output": true, "meta": true, "size": true, "annotations": true,
}

var errElements = fmt.Errorf("it has more than %d elements", maxElements)

// bounded says what is wrong with the size of a body. It is asked before the body is decoded, which would be too late.
func bounded(like Message, body []byte) error {
	switch like.(type) {
	case Whole, Changes, Reply, Request, Answered, Progress, Question, Told:
	default:
		if len(body) > maxSmall {
			return fmt.Errorf("it is larger than %d MiB", maxSmall>>20)
		}
	}
	if len(body) <= 2*maxElements { // an element has a character, and a comma
		return nil
	}
	if units(body) > maxElements*numbersAnElement {
		return errElements
	}
	return nil
}

// Read reads what is in a raw part of a message, such as a request's result, within the same bound.
func Read(raw json.RawMessage, into any) error {
	if units(raw) > maxElements*numbersAnElement {
		return errElements
	}
	return json.Unmarshal(raw, into)
}

// deepest is how deep JSON may be for encoding/json, which refuses what is deeper.
const deepest = 10_000

// units counts the elements of arrays in a body, each as numbersAnElement, and the members of objects, each as one. It
// stops when it has found too many. Of what isn't JSON it gives any number.
func units(body []byte) (n int) {
	type container struct {
		array bool
		unit  int // what each element counts, and no more those in it
	}
	var in []container
	now := container{unit: numbersAnElement}
	next := now.unit // what elements count of the array that comes next
	for i := 0; i < len(body) && n <= maxElements*numbersAnElement; i++ {
		switch body[i] {
		case '"':
			end := stringEnd(body, i+1)
			next = min(now.unit, unitBelow(body, i+1, end))
			i = end
		case '[', '{':
			if in = append(in, now); len(in) > deepest {
				return n
			}
			now = container{body[i] == '[', next}
			if now.array {
				n += now.unit
			}
		case ']', '}':
			if len(in) == 0 {
				return n
			}
			now, in = in[len(in)-1], in[:len(in)-1]
			next = now.unit
		case ',':
			if next = now.unit; now.array {
				n += now.unit
			} else {
				n += min(now.unit, 1) // a member of a map, maybe
			}
		}
	}
	return n
}

// stringEnd is where the string ends that begins at an index: at its quote, or where nothing more comes.
func stringEnd(body []byte, from int) int {
	for i := from; i < len(body); i++ {
		at := bytes.IndexByte(body[i:], '"')
		if at < 0 {
			break
		}
		i += at
		slashes := 0
		for i-1-slashes >= from && body[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return len(body)
}

// unitBelow is what elements count in the value of a field, if the string between two indices is its name.
func unitBelow(body []byte, from, to int) int {
	rest := bytes.TrimLeft(body[min(to+1, len(body)):min(to+4, len(body))], " \t\r\n")
	switch {
	case !bytes.HasPrefix(rest, []byte(":")): // a value; or spaces that no sender of ours makes
	case unread[string(body[from:to])]:
		return 0
	case string(body[from:to]) == "Numbers":
		return 1
	}
	return numbersAnElement
}
