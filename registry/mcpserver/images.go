package mcpserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif" // so that its size can be read and it can be made a PNG
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // as with GIF

	"webmcphub/registry"
)

const (
	// MaxImageSide is the longest side in pixels of an image that is passed
	// on. Model APIs refuse whole requests for longer ones.
	MaxImageSide = 2000
	// maxPixels bounds what is decoded: a small file can be a huge image.
	maxPixels = 64 << 20
)

// fitImages scales the images of a result down to [MaxImageSide]. One that
// can't be read is passed on as it is: the hub may not know its format.
func fitImages(r registry.Result) registry.Result {
	if !bytes.Contains(r.JSON, []byte(`"image`)) {
		return r
	}
	var result map[string]json.RawMessage
	var blocks []json.RawMessage
	if json.Unmarshal(r.JSON, &result) != nil || json.Unmarshal(result["content"], &blocks) != nil {
		return r
	}
	changed := false
	for i, b := range blocks {
		if fit := fitImage(b); fit != nil {
			blocks[i], changed = fit, true
		}
	}
	if !changed {
		return r
	}
	content, err := plain(blocks)
	if err != nil {
		return r
	}
	result["content"] = content
	if r.JSON, err = plain(result); err != nil {
		return registry.ErrorResult("The result's images could not be scaled: " + err.Error())
	}
	return r
}

// fitImage gives the block that takes the place of b, or nil.
func fitImage(b json.RawMessage) json.RawMessage {
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
	if int64(size.Width)*int64(size.Height) > maxPixels {
		return textBlock(fmt.Sprintf("[webmcp-hub: an image of %d × %d pixels was left out: it is too large to be scaled]", size.Width, size.Height))
	}
	scaled, mime, err := scale(raw, format)
	if err != nil {
		return textBlock(fmt.Sprintf("[webmcp-hub: an image of %d × %d pixels was left out: %v]", size.Width, size.Height, err))
	}
	block["data"] = mustJSON(base64.StdEncoding.EncodeToString(scaled))
	block["mimeType"] = mustJSON(mime)
	return mustJSON(block)
}

// scale shrinks an image so that its longer side is MaxImageSide. Photographs
// stay JPEG, all else becomes PNG.
func scale(raw []byte, format string) (scaled []byte, mime string, err error) {
	from, _, err := image.Decode(bytes.NewReader(raw))
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

func textBlock(text string) json.RawMessage {
	return mustJSON(map[string]string{"type": "text", "text": text})
}

// mustJSON encodes strings and maps of raw JSON, which can't fail.
func mustJSON(v any) json.RawMessage {
	raw, err := plain(v)
	if err != nil {
		panic(err)
	}
	return raw
}
