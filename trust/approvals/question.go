package approvals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"webmcphub/registry/sanitize"
)

// Limits of what a question shows, in bytes.
const (
	maxArguments   = 6000
	maxDescription = 1500
	maxElements    = 6000 // of the elements on which a call acts
	maxWhy         = 600
)

// Choice is a person's choice.
type Choice string

const (
	Refuse   Choice = "no"
	Once     Choice = "once"
	Document Choice = "document" // until the page navigates
	Hour     Choice = "hour"
	Day      Choice = "day"
	Date     Choice = "date"   // until the end of a day that the person gives, see [MaxDays]
	Always   Choice = "always" // for a flow: this site may receive what was read there
)

// MaxDays is how many days after today the date of an answer may be.
const MaxDays = 90

// titles are the texts of the choices for a person; %s is what the answer allows.
var titles = map[Choice]string{
	Refuse:   "No",
	Once:     "Yes, this once",
	Document: "Yes, %s, until the page navigates",
	Hour:     "Yes, %s, for an hour",
	Day:      "Yes, %s, for 24 hours",
	Date:     "Yes, %s, until the end of the date that I give",
	Always:   "Yes, and from now on every agent may tell this site what it has read there",
}

// title returns the text of a choice for a person.
func (q Question) title(c Choice) string {
	scope := "this tool of this site with any arguments"
	switch {
	case q.Scope != "":
		scope = q.Scope
	case c == Document:
		scope = "with any arguments"
	}
	return strings.Replace(titles[c], "%s", scope, 1)
}

// Question is a question to a person about an action.
type Question struct {
	Tool, HubName string
	Kind          string // what the thing is, in words, such as "a tool of the web page"
	Origin        string
	Tab           int
	Browser       string // the tab's browser, if there are several
	To            string // the address to which the action leads, or ""
	Description   string // the page's description, or ""
	Changed       string // since when the definition has not changed, in words; "" if unknown
	Args          json.RawMessage
	Besides       json.RawMessage // what else the page receives, or nil
	On            string          // the elements that the action acts on, one per line, or ""
	Why           []string
	Shown         string   // what would go to another site, a line for each site where it was read; or ""
	Scope         string   // what an answer for longer than once allows, in words; "" is this tool of this site
	Choices       []Choice // in addition to [Refuse]
	Now           time.Time
}

// Text returns the question as a person reads it, in lines of at most [columns] columns. Lines that begin with a bar
// contain words of the page or of the agent. What matters most for the decision comes first: what is done where, why
// the person is asked, and the arguments.
func (q Question) Text() string {
	var b strings.Builder
	b.WriteString("WebMCP Hub: may the agent do this?\n\n")
	names := ""
	if q.HubName != q.Tool {
		names = " (" + q.HubName + ")"
	}
	if all := fmt.Sprintf("Tool: %s, %s%s", line(q.Tool, 200), q.Kind, line(names, 200)); fits(all) {
		b.WriteString(all)
	} else {
		fmt.Fprintf(&b, "Tool, %s:\n%s", q.Kind, barred(line(q.Tool, 200)+line(names, 200), 1000))
	}
	tab := ""
	switch {
	case q.Tab != 0 && q.Browser != "":
		tab = fmt.Sprintf(" (tab %d, in the browser %s)", q.Tab, line(q.Browser, 100))
	case q.Tab != 0:
		tab = fmt.Sprintf(" (tab %d)", q.Tab)
	}
	switch {
	case q.Origin == "":
		b.WriteString(tab)
	case q.Origin == "null":
		b.WriteString("\nSite: a document without an origin" + tab)
	case fits("Site: " + q.Origin + tab):
		fmt.Fprintf(&b, "\nSite: %s%s", line(q.Origin, 300), tab)
	default:
		fmt.Fprintf(&b, "\nSite%s:\n%s", tab, barred(q.Origin, 300))
	}
	for _, why := range q.Why {
		if all := fmt.Sprintf("You are asked because %s.", line(why, maxWhy)); fits(all) {
			b.WriteString("\n" + all)
		} else {
			fmt.Fprintf(&b, "\nYou are asked because\n%s", barred(why, maxWhy))
		}
	}
	if q.Shown != "" {
		fmt.Fprintf(&b, "\nThis would go there:\n%s", barred(q.Shown, maxWhy*2))
	}
	if q.To != "" {
		fmt.Fprintf(&b, "\nIt goes to this address:\n%s", barred(q.To, maxArguments))
	}
	fmt.Fprintf(&b, "\nArguments (%d characters):\n%s", utf8.RuneCount(q.Args), arguments(q.Args))
	if q.On != "" {
		fmt.Fprintf(&b, "\nIt acts on what the page calls:\n%s", elements(q.On))
	}
	if q.Besides != nil {
		fmt.Fprintf(&b, "\nThe page also gets:\n%s", arguments(q.Besides))
	}
	if q.Changed != "" {
		fmt.Fprintf(&b, "\nIts definition is %s.", q.Changed)
	}
	if q.Description != "" {
		fmt.Fprintf(&b, "\nThe page says of this tool, which nobody has checked:\n%s",
			barred(q.Description, maxDescription))
	}
	b.WriteString("\n\nLines that begin with | are not the hub's words.")
	return b.String()
}

// Params returns the params of the elicitation/create that asks the question.
func (q Question) Params() json.RawMessage {
	all := append([]Choice{Refuse}, q.Choices...)
	var names []string
	for _, c := range all {
		names = append(names, q.title(c))
	}
	answer := map[string]any{"type": "string", "title": "May it?", "enum": all, "enumNames": names}
	fields := map[string]any{"answer": answer}
	if slices.Contains(q.Choices, Date) {
		fields["until"] = map[string]any{"type": "string", "format": "date", "title": "Until the end of",
			"description": fmt.Sprintf("Only for the answer that holds until a date: from %s to %s", q.day(0),
				q.day(MaxDays))}
	}
	return sanitize.Encode(map[string]any{
		"mode":            "form",
		"message":         q.Text(),
		"requestedSchema": map[string]any{"type": "object", "properties": fields, "required": []string{"answer"}},
		"_meta": map[string]any{
			DetailsKey: q.details(), sanitize.RequestNameKey: sanitize.NameOfApproval},
	})
}

// day returns the date that is so many days after the question.
func (q Question) day(after int) string { return q.Now.AddDate(0, 0, after).Format(time.DateOnly) }

// Answer is a person's choice, and the time until which it holds; Until is zero if no time ends it.
type Answer struct {
	Choice Choice
	Until  time.Time
}

// String returns the answer as the hub's log shows it.
func (a Answer) String() string {
	if a.Choice == Date {
		return fmt.Sprintf("until the end of %s", a.Until.Add(-time.Minute).Format(time.DateOnly))
	}
	return string(a.Choice)
}

// UserRefused is the reason to refuse an action if the person's answer is no.
const UserRefused = "the user refused it"

// ReadAnswer reads the result of an elicitation. An answer that is not one of the choices is a [Refuse], and why says
// what is wrong with it.
func (q Question) ReadAnswer(result json.RawMessage) (a Answer, why string) {
	no := Answer{Choice: Refuse}
	var reply struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(result, &reply) != nil {
		return no, "the answer could not be read"
	}
	switch reply.Action {
	case "accept":
	case "decline":
		return no, UserRefused
	case "cancel":
		return no, "the user closed the question without an answer"
	default:
		return no, "the answer could not be read"
	}
	var content struct {
		Answer *Choice         `json:"answer"`
		Until  json.RawMessage `json:"until"`
	}
	switch {
	case json.Unmarshal(reply.Content, &content) != nil || content.Answer == nil:
		return no, "the client accepted without one of the choices"
	case *content.Answer == Refuse:
		return no, UserRefused
	case !slices.Contains(q.Choices, *content.Answer):
		return no, "the answer is none of the choices"
	}
	a.Choice = *content.Answer
	switch a.Choice {
	case Hour:
		a.Until = q.Now.Add(time.Hour)
	case Day:
		a.Until = q.Now.Add(24 * time.Hour)
	case Date:
		var ok bool
		if a.Until, ok = q.endOf(content.Until); !ok {
			return no, fmt.Sprintf("the answer holds until a date, and the one given is not a date from %s to %s",
				q.day(0), q.day(MaxDays))
		}
	}
	return a, ""
}

// endOf returns the end of a day, given as a full-date of RFC 3339, in the hub's time zone.
func (q Question) endOf(date json.RawMessage) (end time.Time, ok bool) {
	var text string
	if json.Unmarshal(date, &text) != nil || text < q.day(0) || text > q.day(MaxDays) { // such dates sort by time
		return end, false
	}
	day, err := time.ParseInLocation(time.DateOnly, text, q.Now.Location())
	if err != nil {
		return end, false
	}
	return q.Now.Add(day.AddDate(0, 0, 1).Sub(q.Now.Round(0))), true // setting a clock can't lengthen it
}

// maxNesting is the greatest nesting of arguments that are shown with indents, which grow with each value's depth.
const maxNesting = 30

// arguments formats arguments for people. If they are too long, it first cuts long strings in them, so that a person
// sees every argument.
func arguments(args json.RawMessage) string {
	cut := 0
	if len(args) > maxArguments {
		args, cut = shortened(args)
	}
	var b bytes.Buffer
	if len(args) > maxArguments || nesting(args) > maxNesting || json.Indent(&b, args, "", "  ") != nil {
		return barredBesides(string(args), maxArguments, cut)
	}
	return barredBesides(b.String(), maxArguments, cut)
}

// shortened returns a JSON text with its long strings cut, and how many characters it left out. It stops when the
// result is longer than what a question shows.
func shortened(text []byte) (short []byte, lacks int) {
	const most = 300 // bytes of a string
	var b bytes.Buffer
	for i := 0; i < len(text); i++ {
		if b.WriteByte(text[i]); text[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(text))
		inside := text[i+1 : end]
		if len(inside) > most {
			cut := most
			for cut > 0 && (!utf8.RuneStart(inside[cut]) || bytes.HasSuffix(inside[:cut], []byte(`\`)) ||
				bytes.Contains(inside[max(cut-6, 0):cut], []byte(`\u`))) {
				cut--
			}
			b.Write(inside[:cut])
			b.WriteString("…")
			lacks += utf8.RuneCount(inside[cut:])
		} else {
			b.Write(inside)
		}
		if end < len(text) {
			b.WriteByte('"')
		}
		if i = end; b.Len() > maxArguments {
			lacks += utf8.RuneCount(text[min(i+1, len(text)):])
			break
		}
	}
	return b.Bytes(), lacks
}

// nesting returns the greatest depth of a JSON text.
func nesting(text []byte) (deepest int) {
	depth, inText := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// elements formats the lines of elements on which a call acts, each with the element's uid and the page's name for it.
// If there is no room for all, it gives only the number and the uids of the rest.
func elements(on string) string {
	on, rest := withRoom(on)
	if rest != "" {
		rest = "\n" + rest
	}
	return barred(on, 2*maxElements) + rest
}

// withRoom returns the lines of elements for which there is room, and says which others there are, or "".
func withRoom(on string) (lines, rest string) {
	if len(on) <= maxElements {
		return on, ""
	}
	end := max(strings.LastIndexByte(on[:maxElements+1], '\n'), 0)
	others := strings.Split(strings.TrimPrefix(on[end:], "\n"), "\n")
	names := make([]string, len(others))
	for i, line := range others {
		names[i], _, _ = strings.Cut(line, ":")
	}
	return on[:end], fmt.Sprintf("and on %d more, for whose names there is no room here: %s", len(others),
		line(strings.Join(names, ", "), maxElements/2))
}

// columns is the width of a question's lines. Windows wrap longer lines, so the rest of such a line would begin
// without a bar.
const columns = 72

// fits reports whether a line of the hub that contains words of others is short enough not to be wrapped.
func fits(line string) bool { return width(line) <= columns }

// width returns how many columns a text takes. A letter of an East Asian script may take two.
func width(text string) (n int) {
	for _, r := range text {
		if n++; r >= 0x1100 {
			n++
		}
	}
	return n
}

// barred puts a bar before each line of a page's or an agent's text, and replaces invisible characters by their codes.
// It says how many characters it leaves out.
func barred(text string, max int) string { return barredBesides(text, max, 0) }

// barredBesides does what barred does, for a text from which cut characters were left out before.
func barredBesides(text string, max, cut int) string {
	text, rest := shown(text, true, max)
	rest += cut
	var b strings.Builder
	for l := range strings.SplitSeq(text, "\n") {
		for {
			var part string
			part, l = wrapped(l)
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("| " + part)
			if l == "" {
				break
			}
		}
	}
	if rest > 0 {
		fmt.Fprintf(&b, "\n(%d more characters are not shown here)", rest)
	}
	return b.String()
}

// wrapped returns as much of a line as fits behind a bar, and the rest. It breaks the line at a blank if there is one
// in its second half.
func wrapped(l string) (part, rest string) {
	const room = columns - len("| ")
	end, blank, n := len(l), 0, 0
	for i, r := range l {
		if n += width(string(r)); n > room {
			end = i
			break
		}
		if r == ' ' && n > room/2 {
			blank = i + 1
		}
	}
	if end < len(l) && blank > 0 {
		end = blank
	}
	return l[:end], l[end:]
}

// line returns a page's or an agent's text in one line.
func line(text string, max int) string {
	text, rest := shown(text, false, max)
	if rest > 0 {
		return text + fmt.Sprintf("… (and %d more characters)", rest)
	}
	return text
}

// maxIndent is how many blanks may begin a line, as lines of nested arguments do.
const maxIndent = 2 * maxNesting

// shown replaces each character that is invisible, would begin a line, or is very wide, by its code, and several
// blanks in a row by one. It returns at most max bytes, and how many characters are left out.
func shown(text string, lines bool, max int) (short string, rest int) {
	var b strings.Builder
	begins, blanks := true, 0 // begins: the line has only blanks so far; blanks: how many in a row
	for i, r := range text {
		letter := string(r)
		switch {
		case r == ' ':
			if blanks++; blanks > 1 && (!begins || !lines || blanks > maxIndent) {
				continue
			}
		case r == '\n' && lines, unicode.IsGraphic(r) && !unicode.IsSpace(r) && !blank[r] && !unicode.Is(wide, r) &&
			sanitize.Text(letter, 8) != "":
		case r > 0xFFFF:
			letter = fmt.Sprintf(`\U%08X`, r)
		default:
			letter = fmt.Sprintf(`\u%04X`, r)
		}
		if b.Len()+len(letter) > max {
			return b.String(), utf8.RuneCountInString(text[i:])
		}
		if r != ' ' {
			begins, blanks = r == '\n', 0
		}
		b.WriteString(letter)
	}
	return b.String(), 0
}

// blank are characters that look blank although Unicode calls them letters or symbols.
var blank = map[rune]bool{0x115F: true, 0x1160: true, 0x2800: true, 0x3164: true, 0xFFA0: true}

// wide are letters that take three or more columns, which [width] doesn't know.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2E3A, Hi: 0x2E3B, Stride: 1}, {Lo: 0xFDF0, Hi: 0xFDFD, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x12000, Hi: 0x1254F, Stride: 1}}, // cuneiform
}
