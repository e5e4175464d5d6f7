package transform

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-faster/jx"
)

// AttributeTypes collects the names of the members of JSON objects, with the types of their values. The zero value collects all names.
type AttributeTypes struct {
	Most int // at most so many names: the first in order; 0: all

	js    *jx.Decoder
	types map[string]attributeType
}

// attributeType is a set of types of values.
type attributeType uint8

const (
	attributeBool attributeType = 1 << iota
	attributeInt
	attributeBig // an integer that a double would round
	attributeDouble
	attributeText
	attributeJSON
)

var attributeTypeNames = []string{"bool", "int", "big", "double", "text", "json"}

// Add adds the members of a text that is an object; any other valid JSON has none. Members that are null have no type. It does not keep raw.
func (a *AttributeTypes) Add(raw []byte) error {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	if a.js == nil {
		a.js, a.types = jx.DecodeBytes(nil), map[string]attributeType{}
	}
	a.js.ResetBytes(raw)
	err := a.js.ObjBytes(func(d *jx.Decoder, name []byte) error {
		value, err := d.Raw()
		if err != nil {
			return err
		}
		found := typeOfValue(value)
		if known, ok := a.types[string(name)]; found&^known != 0 || !ok && found != 0 {
			a.types[string(name)] = known | found
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the names in an object: %w", err)
	}
	if a.Most > 0 && len(a.types) > 2*a.Most {
		a.dropLast()
	}
	return nil
}

// dropLast keeps the first names in order: objects with ids as names have one for each record.
func (a *AttributeTypes) dropLast() {
	for _, name := range slices.Sorted(maps.Keys(a.types))[a.Most:] {
		delete(a.types, name)
	}
}

// Each calls visit with each name in order, and with the types of its values: some of bool, int, big, double, text, json. A name with big
// has int, too.
func (a *AttributeTypes) Each(visit func(name string, types []string)) {
	if a.Most > 0 && len(a.types) > a.Most {
		a.dropLast()
	}
	for _, name := range slices.Sorted(maps.Keys(a.types)) {
		var types []string
		for i, t := range attributeTypeNames {
			if a.types[name]&(1<<i) != 0 {
				types = append(types, t)
			}
		}
		visit(name, types)
	}
}

// typeOfValue is the type of a value as sent; none for null.
func typeOfValue(raw []byte) attributeType {
	switch raw[0] {
	case 'n':
		return 0
	case 't', 'f':
		return attributeBool
	case '"':
		return attributeText
	case '{', '[':
		return attributeJSON
	}
	const exact = 1 << 53
	n, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case err == nil && -exact <= n && n <= exact:
		return attributeInt
	case err == nil:
		return attributeInt | attributeBig
	case bytes.ContainsAny(raw, ".eE"):
		return attributeDouble
	}
	if _, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return attributeText // larger than a BIGINT
	}
	return attributeDouble // DuckDB reads an integer of more than 64 bits as a double
}
