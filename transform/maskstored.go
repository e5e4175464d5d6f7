package transform

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/go-faster/jx"

	"aqueduck/schemas"
	"aqueduck/transform/maskrule"
)

// SetObjects completes the rules of a stream for MaskJSON: those for _extra get the declared objects of their table.
func SetObjects(s *schemas.Stream, rules []maskrule.Rule) error {
	if len(rules) == 0 {
		return nil
	}
	plans, err := compilePlans(s, nil)
	if err != nil {
		return err
	}
	for i := range rules {
		for _, p := range plans {
			if rules[i].Column == ExtraColumn && rules[i].Table == p.table.Name {
				rules[i].Objects = p.root.objectPaths(nil)
			}
		}
	}
	return nil
}

// Hash is the text that a hashed column stores for a text.
func Hash(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// MaskJSON makes a function that masks the places of some rules in a stored JSON text, as a reading would. The rules are those of one
// column. The answer is "" where nothing is left.
func MaskJSON(rules []maskrule.Rule, key []byte) func(stored string) (masked string) {
	root := &maskPolicy{kids: map[string]*maskPolicy{}, known: rules[0].Column == ExtraColumn}
	for _, p := range rules {
		act := actHash
		if !p.Hash {
			act = actDrop
		}
		if len(p.Path) == 0 {
			root.act = max(root.act, act)
		}
		root.addPath(p.Path, act)
	}
	for _, path := range rules[0].Objects {
		root.addKnown(path)
	}
	root.resolve(actKeep)
	m := jsonMasker{text: &recordText{}, policy: root, mac: hmac.New(sha256.New, key)}
	m.hashed = slices.ContainsFunc(rules, func(p maskrule.Rule) bool { return p.Hashed })
	return func(stored string) string {
		raw := []byte(stored)
		if root.act == actDrop || jx.DecodeBytes(raw).Validate() != nil {
			return ""
		}
		m.text.resetRecord(raw)
		m.rewriteValue(m.text.raw, root)
		if masked := string(m.text.arena); masked != "{}" || !root.known {
			return masked
		}
		return ""
	}
}
