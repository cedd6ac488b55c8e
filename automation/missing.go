package automation

import (
	"context"
	"errors"
)

// missing stands for the handlers that are still to come. Such tools are not listed.
func (r *Request) missing(ctx context.Context) (*Result, error) {
	var a struct {
		pageArguments
		URL string `json:"url"`
	}
	if err := r.decode(&a); err != nil {
		return nil, err
	}
	if a.URL != "" {
		if _, err := r.service.checkAddress(r.tool.Name, a.URL); err != nil {
			return nil, err
		}
	}
	if _, err := r.page(ctx, a.PageID); err != nil {
		return nil, err
	}
	return nil, errors.New("this tool is not there yet")
}
