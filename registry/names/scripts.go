package names

import "strings"

// MatchPatterns returns Chrome's match patterns for the web pages in which tools are allowed. Where the syntax can't
// express the rules, the patterns leave out more: for Chrome, "*.shop.example" includes shop.example. Empty matches
// mean no pages.
func (o *Origins) MatchPatterns() (matches, exclude []string) {
	if o == nil || len(o.allow) == 0 {
		matches = []string{"<all_urls>"}
	}
	if o == nil {
		return matches, nil
	}
	for _, p := range o.allow {
		matches = append(matches, p.matchPatterns(false)...)
		if name, below := strings.CutPrefix(p.host, "."); below {
			top := p
			top.host = name
			for _, pattern := range top.matchPatterns(true) {
				if !o.Permits(strings.Replace(strings.TrimSuffix(pattern, "/*"), ":*", "", 1)) {
					exclude = append(exclude, pattern)
				}
			}
		}
	}
	for _, p := range o.deny {
		exclude = append(exclude, p.matchPatterns(false)...)
	}
	return matches, exclude
}

func (p OriginPattern) matchPatterns(exact bool) (list []string) {
	if p.any {
		return []string{"<all_urls>"}
	}
	host := "*"
	switch below, isBelow := strings.CutPrefix(p.host, "."); {
	case isBelow && !exact:
		host = "*." + below
	case p.host != "":
		host = bracketed(below)
	}
	for _, scheme := range []string{"http", "https"} {
		if p.scheme != "" && p.scheme != scheme {
			continue
		}
		port := p.port
		switch port {
		case "":
			port = "*"
		case "default":
			port = defaultPorts[scheme]
		}
		list = append(list, scheme+"://"+host+":"+port+"/*")
	}
	return list
}

// bracketed returns a host as addresses write it.
func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
