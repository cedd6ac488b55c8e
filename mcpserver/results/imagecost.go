package results

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"math/bits"
)

// decodingCost estimates how many bytes decoding an image takes: its pixels, and what else the decoder for its format
// needs. raw is the file.
func decodingCost(size image.Config, format string, raw []byte) int64 {
	perPixel := pixelBytes(size.ColorModel)
	switch format {
	case "jpeg":
		perPixel = jpegBytes(size.ColorModel, progressive(raw))
	case "png":
		if interlaced(raw) { // the passes are held in addition to the whole image
			perPixel *= 2
		}
	}
	over, pixels := bits.Mul64(uint64(max(size.Width, 0)), uint64(max(size.Height, 0)))
	if over != 0 || pixels > math.MaxInt64/uint64(perPixel) {
		return math.MaxInt64
	}
	return int64(pixels) * perPixel
}

// pixelBytes returns the size of one pixel in package image's type for a color model.
func pixelBytes(m color.Model) int64 {
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	switch m {
	case color.GrayModel, color.AlphaModel:
		return 1
	case color.Gray16Model, color.Alpha16Model:
		return 2
	case color.YCbCrModel:
		return 3 // without subsampling
	case color.RGBAModel, color.NRGBAModel, color.CMYKModel, color.NYCbCrAModel:
		return 4
	}
	return 8 // like RGBA64 and NRGBA64
}

// jpegBytes returns how many bytes one pixel takes while a JPEG is decoded: its components, the pixel into which they
// are finally converted and, if the JPEG has several scans, the coefficients of all components, four bytes each.
func jpegBytes(m color.Model, progressive bool) int64 {
	components, converted := int64(3), int64(0)
	switch m {
	case color.GrayModel:
		components = 1
	case color.RGBAModel:
		converted = 4
	case color.CMYKModel:
		components, converted = 4, 4
	}
	if progressive {
		return components*5 + converted
	}
	return components + converted
}

// progressive reports whether a JPEG has several scans, according to the marker that begins its frame. A damaged file
// counts as progressive.
func progressive(raw []byte) bool {
	for at := 2; at+4 <= len(raw); {
		marker := raw[at+1]
		switch {
		case raw[at] != 0xFF:
			at++ // decoders skip bytes between segments that are no marker
		case marker == 0xFF, marker == 0:
			at++ // fill byte
		case marker == 0xC0 || marker == 0xC1:
			return false
		case marker == 0xC2:
			return true
		case marker >= 0xD0 && marker <= 0xD9:
			at += 2 // these markers have no length
		default:
			at += 2 + int(binary.BigEndian.Uint16(raw[at+2:]))
		}
	}
	return true
}

// interlaced reports whether a PNG is interlaced, according to its header.
func interlaced(raw []byte) bool { return len(raw) > 28 && raw[28] != 0 }
