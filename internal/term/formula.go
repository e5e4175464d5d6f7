package term

import "strings"

// EscapeFormula puts a ' before a text for a CSV file that a spreadsheet would execute as a formula: it may come from a customer. Numbers and
// telephone numbers stay as they are.
func EscapeFormula(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) || strings.Trim(text, "+-0123456789 .,()") == "" {
		return text
	}
	return "'" + text
}
