package automation

import (
	"context"

	"webmcphub/automation/emulation"
	"webmcphub/automation/page"
	"webmcphub/registry/sanitize"
)

type emulateArguments struct {
	Network       string  `json:"networkConditions" among:"Offline,Slow 3G,Fast 3G,Slow 4G,Fast 4G"`
	CPU           float64 `json:"cpuThrottlingRate" least:"1" most:"20"`
	Geolocation   string  `json:"geolocation" is:"latitude,longitude"`
	UserAgent     string  `json:"userAgent"`
	ColorScheme   string  `json:"colorScheme" among:"dark,light,auto"`
	ForcedColors  string  `json:"forcedColors" among:"active,none,auto"`
	Contrast      string  `json:"prefersContrast" among:"more,less,custom,no-preference,auto"`
	ReducedMotion string  `json:"prefersReducedMotion" among:"reduce,no-preference,auto"`
	Viewport      string  `json:"viewport" is:"WIDTHxHEIGHTxRATIO[,mobile][,touch][,landscape]"`
	Headers       *string `json:"extraHttpHeaders" is:"JSON object; \"\" clears"`
	pageArguments
}

// emulate applies the emulation settings in the arguments. Settings that the arguments leave out are reset, except
// headers.
func (r *Request) emulate(ctx context.Context, a emulateArguments) (*Result, error) {
	to := emulation.Settings{
		Network: a.Network, CPU: a.CPU, Agent: a.UserAgent,
		Media: emulation.Media{ColorScheme: a.ColorScheme, ForcedColors: a.ForcedColors, Contrast: a.Contrast,
			ReducedMotion: a.ReducedMotion},
	}
	var err error
	if a.Geolocation != "" {
		if to.Place, err = emulation.ParsePlace(a.Geolocation); err != nil {
			return nil, err
		}
	}
	if a.Viewport != "" {
		if to.Viewport, err = emulation.ParseViewport(a.Viewport); err != nil {
			return nil, err
		}
	}
	if a.Headers != nil {
		if to.Headers, err = emulation.ParseHeaders(*a.Headers); err != nil {
			return nil, err
		}
	}
	// The page's requests to other sites have the user agent and the headers too, and so have those of the next page
	// in the tab.
	r.judged.Anywhere = a.UserAgent != "" || len(to.Headers) > 0
	return r.emulated(ctx, a.PageID, func(was emulation.Settings) (emulation.Settings, error) {
		if a.Headers == nil {
			to.Headers = was.Headers
		}
		return to, nil
	})
}

type resizeArguments struct {
	Width  int `json:"width" least:"1" as:"required"`
	Height int `json:"height" least:"1" as:"required"`
	pageArguments
}

// resizePage gives the page's content a size. The tab's window, which other tabs share, keeps its size.
func (r *Request) resizePage(ctx context.Context, a resizeArguments) (*Result, error) {
	return r.emulated(ctx, a.PageID, func(was emulation.Settings) (emulation.Settings, error) {
		return was.Resized(emulation.Size{Width: a.Width, Height: a.Height})
	})
}

// emulated changes a page's emulation settings and says what they are then.
func (r *Request) emulated(ctx context.Context, id *int,
	change func(emulation.Settings) (emulation.Settings, error)) (*Result, error) {
	p, err := r.page(ctx, id)
	if err != nil {
		return nil, err
	}
	is, err := p.emulated.Set(ctx, p.Page, change)
	if err != nil {
		return nil, err
	}
	p.tab.emulated.Store(is.String() != "")
	answer := "Nothing is emulated in the page."
	if all := is.String(); all != "" {
		answer = "Emulated in the page: " + sanitize.Text(all, 1000) + "."
	}
	if is.Place != nil {
		answer += placeHidden(ctx, p)
	}
	return &Result{Text: answer}, nil
}

// placeHidden says why the page can't see an emulated place, and what to do about it; "" if it can see the place. The
// hub doesn't give the permission itself, because it would hold for all tabs of the site: tabs in which no place is
// emulated would see where the user is.
func placeHidden(ctx context.Context, p *opened) string {
	main, there := p.Main()
	state := ""
	err := p.Evaluate(ctx, main.FrameRef, page.Bare,
		`async () => isSecureContext ? (await navigator.permissions.query({name: 'geolocation'})).state : 'insecure'`,
		nil, &state)
	switch {
	case !there || err != nil || state == "granted":
		return ""
	case state == "insecure":
		return " The page can't ask where it is: Chrome lets only https:// and localhost pages ask."
	}
	return " The page has no permission to ask where it is. The user can give it in Chrome: by the icon left of the " +
		"address, Site settings, Location, Allow."
}
