package results

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif" // so that its size can be read and it can be made a PNG
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // as with GIF

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

const (
	// MaxImageSide is the longest side in pixels of an image that is passed on. Model APIs refuse whole requests with
	// larger images.
	MaxImageSide = 2000
	// maxDecoded bounds in bytes what decoding all images of one result takes. A small file can contain a huge image,
	// and there can be many. It is enough for 64 million pixels of four bytes.
	maxDecoded = 256 << 20
	// maxScaling is how many images are scaled at a time, for all clients together. Each may take maxDecoded.
	maxScaling = 2
)

// scaling holds a token for each image that is being scaled.
var scaling = make(chan struct{}, maxScaling)

// FitImages scales the images of a result down to [MaxImageSide]. It passes on an image that it can't read, because
// the hub may not know the format. It leaves out an image that is too large, alone or together with those before it,
// and one that is not scaled when ctx ends.
func FitImages(ctx context.Context, r registry.Result) registry.Result {
	if !bytes.Contains(r.JSON, []byte(`"image`)) {
		return r
	}
	var result map[string]json.RawMessage
	var blocks []json.RawMessage
	if json.Unmarshal(r.JSON, &result) != nil || json.Unmarshal(result["content"], &blocks) != nil {
		return r
	}
	changed, room := false, int64(maxDecoded)
	for i, b := range blocks {
		if fit := fitBlock(ctx, b, &room); fit != nil {
			blocks[i], changed = fit, true
		}
	}
	if !changed {
		return r
	}
	result["content"] = jsonrpc.MustEncode(blocks)
	r.JSON = jsonrpc.MustEncode(result)
	return r
}

// fitBlock returns the block that replaces b, or nil if b stays. room is how many bytes decoding may still take.
func fitBlock(ctx context.Context, b json.RawMessage, room *int64) json.RawMessage {
	var block map[string]json.RawMessage
	var kind, data string
	if json.Unmarshal(b, &block) != nil || json.Unmarshal(block["type"], &kind) != nil || kind != "image" ||
		json.Unmarshal(block["data"], &data) != nil {
		return nil
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil
	}
	size, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || size.Width <= MaxImageSide && size.Height <= MaxImageSide {
		return nil
	}
	leftOut := func(why string) json.RawMessage {
		text := fmt.Sprintf("[webmcp-hub: an image of %d × %d pixels was left out: %s]", size.Width, size.Height, why)
		return jsonrpc.MustEncode(map[string]string{"type": "text", "text": text})
	}
	cost := decodingCost(size, format, raw)
	switch {
	case cost > maxDecoded:
		return leftOut(fmt.Sprintf("scaling it down would take more than %d MB of memory", maxDecoded>>20))
	case cost > *room:
		return leftOut(fmt.Sprintf("with the images before it, scaling it down would take more than %d MB of memory",
			maxDecoded>>20))
	}
	*room -= cost
	scaled, mime, err := scale(ctx, raw, format)
	switch {
	case ctx.Err() != nil:
		return leftOut(context.Cause(ctx).Error())
	case err != nil:
		return leftOut(sanitize.Text(err.Error(), 200))
	}
	block["data"] = jsonrpc.MustEncode(base64.StdEncoding.EncodeToString(scaled))
	block["mimeType"] = jsonrpc.MustEncode(mime)
	return jsonrpc.MustEncode(block)
}

// untilDone is a reader that fails when ctx has ended, which stops a decoder.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// scale shrinks an image so that its longer side is MaxImageSide. JPEGs stay JPEG, all other formats become PNG.
// scale waits while too many other images are being scaled.
func scale(ctx context.Context, raw []byte, format string) (scaled []byte, mime string, err error) {
	select {
	case scaling <- struct{}{}:
		defer func() { <-scaling }()
	case <-ctx.Done():
		return nil, "", context.Cause(ctx)
	}
	// Without a small buffer, decoders would read everything that is available in one call.
	from, _, err := image.Decode(bufio.NewReaderSize(untilDone{ctx, bytes.NewReader(raw)}, 4096))
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, "", err
	}
	w, h := from.Bounds().Dx(), from.Bounds().Dy()
	long := max(w, h)
	to := image.NewRGBA(image.Rect(0, 0, max(1, w*MaxImageSide/long), max(1, h*MaxImageSide/long)))
	draw.ApproxBiLinear.Scale(to, to.Bounds(), from, from.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if format == "jpeg" {
		err = jpeg.Encode(&out, to, &jpeg.Options{Quality: 85})
		return out.Bytes(), "image/jpeg", err
	}
	err = png.Encode(&out, to)
	return out.Bytes(), "image/png", err
}
