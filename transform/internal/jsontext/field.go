package jsontext

import "github.com/go-faster/jx"

// FieldAt gives the value at a path through objects of a JSON text, as it is there; false where there is none.
func FieldAt(text []byte, path []string) (raw []byte, ok bool) {
	js := jx.DecodeBytes(text)
	for _, name := range path {
		if js.Next() != jx.Object {
			return nil, false
		}
		fields, err := js.ObjIter()
		if err != nil {
			return nil, false
		}
		found := false
		for !found && fields.Next() {
			if found = string(fields.Key()) == name; !found && js.Skip() != nil {
				return nil, false
			}
		}
		if !found {
			return nil, false
		}
	}
	value, err := js.Raw()
	return value, err == nil
}
