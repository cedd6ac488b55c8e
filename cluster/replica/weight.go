package replica

import "webmcphub/cluster/wire"

// What things weigh at a gateway, in bytes: their texts and JSON, and perItem for each of them. At the
// node they weigh no less ([sent.weight]), as they are longer when they are encoded.

// Weight is what a message of a node weighs: no more than a few times what it takes of memory, and the other way
// round.
func Weight(m wire.Message) int {
	n := perItem
	switch m := m.(type) {
	case wire.Whole:
		n += pagesWeight(m.Pages) + perItem*len(m.Browsers)
	case wire.Changes:
		n += pagesWeight(m.Pages) + perItem*len(m.Browsers)
		for _, id := range m.Gone {
			n += len(id)
		}
		for i := range m.Edits {
			n += editWeight(&m.Edits[i])
		}
	case wire.Reply:
		n += len(m.Result)
		if m.Error != nil {
			n += len(m.Error.Message) + len(m.Error.Data)
		}
	case wire.Progress:
		n += len(m.Params)
	case wire.Question:
		n += len(m.Params)
	case wire.Told:
		n += len(m.Log)
		for _, uri := range m.Updated {
			n += len(uri)
		}
	}
	return n
}

func pagesWeight(all []wire.Page) (n int) {
	for i := range all {
		n += pageWeight(&all[i])
	}
	return n
}

func editWeight(e *wire.Edit) int {
	n := perItem + len(e.ID) + offersWeight(e.Offers)
	if e.Page != nil {
		n += pageWeight(e.Page)
	}
	if e.Frames != nil {
		n += framesWeight(*e.Frames)
	}
	if e.Tools != nil {
		for i := range e.Tools.New {
			n += toolWeight(&e.Tools.New[i])
		}
	}
	return n
}

// pageWeight is a page's, with all that it has.
func pageWeight(p *wire.Page) int {
	n := pageOnlyWeight(p) + framesWeight(p.Frames) + offersWeight(p.Offers)
	for i := range p.Tools {
		n += toolWeight(&p.Tools[i])
	}
	return n
}

func pageOnlyWeight(p *wire.Page) int {
	return perItem + len(p.ID) + len(p.Browser) + len(p.URL) + len(p.Title) + len(p.State) + len(p.Dialog) + len(p.Origin)
}

func framesWeight(all []wire.Frame) int {
	n := 0
	for i := range all {
		n += perItem + len(all[i].ID) + len(all[i].URL)
	}
	return n
}

func toolWeight(t *wire.Tool) int {
	return perItem + len(t.Frame) + len(t.FrameURL) + len(t.Origin) + len(t.Runtime) + len(t.Name) + len(t.Title) + len(t.Description) + len(t.Input) + len(t.Output) + len(t.Meta) + len(t.Script)
}

func offersWeight(o *wire.Offers) int {
	if o == nil {
		return 0
	}
	n := offersItems(o) * perItem
	for i := range o.Resources {
		r := &o.Resources[i]
		n += len(r.Frame) + len(r.FrameURL) + len(r.Origin) + len(r.URI) + len(r.Name) + len(r.Title) + len(r.Description) + len(r.MIMEType) + len(r.Size) + len(r.Annotations)
	}
	for _, p := range o.Prompts {
		if p == nil {
			continue
		}
		n += len(p.Frame) + len(p.FrameURL) + len(p.Origin) + len(p.Name) + len(p.Title) + len(p.Description)
		for _, a := range p.Arguments {
			n += len(a.Name) + len(a.Title) + len(a.Description)
		}
	}
	return n
}

// offersItems are how many items there are: resources, prompts and the arguments of these.
func offersItems(o *wire.Offers) int {
	if o == nil {
		return 0
	}
	n := len(o.Resources) + len(o.Prompts)
	for _, p := range o.Prompts {
		if p != nil {
			n += len(p.Arguments)
		}
	}
	return n
}
