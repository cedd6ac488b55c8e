package automation

import "net/http"

// hangs never answers requests for /hangs.
func hangs(_ http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != "/hangs" {
		return false
	}
	<-r.Context().Done()
	return true
}
