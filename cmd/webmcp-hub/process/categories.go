package process

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"webmcphub/automation"
)

// CategoriesFlag names categories of browser tools; "" means none. Without a value the flag means all.
type CategoriesFlag string

// IsBool lets the flag stand without a value.
func (CategoriesFlag) IsBool() bool { return true }

// Decode reads the flag's value from the command line, the environment or the settings.
func (c *CategoriesFlag) Decode(ctx *kong.DecodeContext) error {
	given := []string{"all"}
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		switch v := ctx.Scan.Pop().Value.(type) {
		case bool:
			if !v {
				given = nil
			}
		case []any:
			given = nil
			for _, one := range v {
				given = append(given, fmt.Sprint(one))
			}
		default:
			if given = strings.Split(fmt.Sprint(v), ","); fmt.Sprint(v) == "false" || fmt.Sprint(v) == "" {
				given = nil
			}
		}
	}
	var err error
	*c, err = ParseCategories(given)
	return err
}

// ParseCategories returns the flag for the categories that [automation.ParseCategories] understands. It is the same for
// the same categories, whatever their order.
func ParseCategories(given []string) (CategoriesFlag, error) {
	on, err := automation.ParseCategories(given)
	var words []string
	for _, category := range on {
		words = append(words, string(category))
	}
	return CategoriesFlag(strings.Join(words, ",")), err
}

// On returns the categories.
func (c CategoriesFlag) On() []automation.Category {
	if c == "" {
		return nil
	}
	on, err := automation.ParseCategories(strings.Split(string(c), ","))
	if err != nil {
		panic(err) // Decode has checked it
	}
	return on
}

// Has reports whether the tools of a category are offered.
func (c CategoriesFlag) Has(category automation.Category) bool {
	return slices.Contains(c.On(), category)
}
