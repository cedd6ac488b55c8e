package records

import "fmt"

// Download is one download of the tab.
type Download struct {
	ID       int
	Document int
	URL      string
	Name     string
	State    string // "inProgress", "completed" or "canceled"
	Path     string // the path of the file, if Chrome reports it
	Received int64
	Total    int64 // 0 if the server didn't say

	guid string
}

func (t *Tab) downloadBegins(p *struct{ FrameID, GUID, URL, SuggestedFilename string }, _ string) {
	if t.download(p.GUID) != nil { // the browser's session reports it too
		return
	}
	d := &Download{guid: p.GUID, Document: t.current().Seq, URL: clip(p.URL, maxURL),
		Name: clip(p.SuggestedFilename, 500), State: "inProgress"}
	s := t.downloads.add(d.Document, len(d.URL)+len(d.Name)+200, d, func(int) {})
	s.of = t.SessionOrigins
	d.ID = s.id
	t.becameDownload(p.URL, d.ID)
}

// becameDownload records that a navigation was canceled because it became a download.
func (t *Tab) becameDownload(url string, id int) {
	all := t.requests.entries
	for i := len(all) - 1; i >= max(0, len(all)-20); i-- {
		if r := all[i].value; r.URL == url && r.Type == "document" && (r.State == Pending || r.State == Canceled) {
			r.State, r.Failure = Canceled, fmt.Sprintf("became download=%d", id)
			t.resized(&all[i])
			return
		}
	}
}

func (t *Tab) downloadProgress(p *struct {
	GUID, State, FilePath     string
	TotalBytes, ReceivedBytes float64
}, _ string) {
	d := t.download(p.GUID)
	if d == nil || d.State != "inProgress" && p.State == "inProgress" {
		return
	}
	d.State, d.Received, d.Total = p.State, int64(p.ReceivedBytes), int64(p.TotalBytes)
	if p.FilePath != "" {
		d.Path = clip(p.FilePath, maxURL)
	}
}

func (t *Tab) download(guid string) *Download {
	for _, s := range t.downloads.entries {
		if s.value.guid == guid {
			return s.value
		}
	}
	return nil
}

// Downloads returns all recorded downloads, oldest first, except those that hides hides.
func (t *Tab) Downloads(hides Hides) (list DownloadList) {
	for _, s := range t.downloads.entries {
		if hides != nil && hides(t.whose(s.document, s.of, Origin(s.value.URL))) {
			continue
		}
		list = append(list, *s.value)
	}
	return list
}
