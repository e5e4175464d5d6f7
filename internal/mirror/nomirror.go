//go:build !mirror

package mirror

import "context"

// VerifyTables fails: this program has no mirror.
func VerifyTables(_ context.Context, t Target) (Verified, error) {
	return Verified{}, Missing(t.Location)
}

// MirrorTables fails: this program has no mirror.
func MirrorTables(_ context.Context, t Target) (Report, error) { return Report{}, Missing(t.Location) }

// CheckTables fails: this program has no mirror.
func CheckTables(_ context.Context, t Target) error { return Missing(t.Location) }
