package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/emulator/knobs"
)

// setKnobFields sets knobs by the names of their fields, and returns all knobs after the change. Durations may be texts such as 4m.
func (w *Workspace) setKnobFields(sent map[string]any) (*knobs.Knobs, error) {
	all, err := jsonFields(w.K())
	if err == nil {
		err = overlayFields(all, sent, "")
	}
	if err != nil {
		return nil, err
	}
	next, err := knobsOf(all)
	if err != nil {
		return nil, err
	}
	if err := checkKnobs(next); err != nil {
		return nil, err
	}
	if _, named := sent["Chaos"]; named {
		if err := w.SetChaos(next.Chaos); err != nil {
			return nil, err
		}
	}
	w.SetKnobs(func(k *knobs.Knobs) {
		next.Mutate, next.Export.File.Spoil = k.Mutate, k.Export.File.Spoil // functions have no form in JSON
		*k = *next
	})
	return w.K(), nil
}

func jsonFields(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	return fields, json.Unmarshal(text, &fields)
}

// overlayFields writes the sent fields over the current ones, object by object. An unknown name is an error.
func overlayFields(all, sent map[string]any, path string) error {
	for name, v := range sent {
		old, known := all[name]
		if !known {
			return fmt.Errorf("there is no knob %s; there are %s", path+name, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		}
		under, nested := old.(map[string]any)
		more, isObject := v.(map[string]any)
		switch {
		case !nested:
			all[name] = v
		case !isObject:
			return fmt.Errorf("the knob %s is an object: %s", path+name, strings.Join(slices.Sorted(maps.Keys(under)), ", "))
		default:
			if err := overlayFields(under, more, path+name+"."); err != nil {
				return err
			}
		}
	}
	return nil
}

// knobsOf decodes all knobs. A duration may be a text. The decoder reports one text at a time, so each try replaces one.
func knobsOf(all map[string]any) (*knobs.Knobs, error) {
	for {
		text, err := json.Marshal(all)
		if err != nil {
			return nil, err
		}
		var k knobs.Knobs
		var wrong *json.UnmarshalTypeError
		switch err := json.Unmarshal(text, &k); {
		case err == nil:
			return &k, nil
		case !errors.As(err, &wrong):
			return nil, err
		case wrong.Type.String() != "time.Duration" || wrong.Value != "string":
			return nil, fmt.Errorf("the knob %s is no %s but %s", wrong.Field, wrong.Value, wrong.Type)
		}
		if err := replaceDurationText(all, strings.Split(wrong.Field, ".")); err != nil {
			return nil, fmt.Errorf("the knob %s: expected a duration such as 20m: %w", wrong.Field, err)
		}
	}
}

// replaceDurationText replaces the text of a duration by its number of nanoseconds.
func replaceDurationText(all map[string]any, path []string) error {
	for ; len(path) > 1; path = path[1:] {
		all, _ = all[path[0]].(map[string]any)
	}
	text, _ := all[path[0]].(string)
	d, err := time.ParseDuration(text)
	if err == nil {
		all[path[0]] = int64(d)
	}
	return err
}
