package population

import "aqueduck/internal/emulator/event"

// Texts of conversations. Bodies are HTML as teammates and customers leave it, some of it malformed on purpose.

var plainWords = []string{
	"hello", "my order", "has not", "arrived", "<b>urgent</b>", "please", "refund", "the app", "crashes", "since", "Tuesday",
	"invoice", "thanks", "&amp; regards", "where", "is", "my", "parcel", "merci", "d'avance",
	"<a href=\"https://help.example/articles/7?utm=1&amp;x=2\">this article</a>", "settings", "&lt;script&gt;", "again", "password", "reset",
	"&nbsp;", "delivery", "later", "wrong size", "cancel", "subscription", "it works", "now",
}

var foreignWords = []string{"über", "№ 4711", "日本語で", "お願いします", "спасибо", "😀", "naïve", "😤", "שלום", "مرحبا", "🇪🇺", "cafe\u0301"}

var oddBodies = []string{
	"<p></p>", "<table><tbody><tr><th>Size</th><th>Price</th></tr><tr><td>S</td><td>5 €</td></tr></tbody></table>",
	`<div class="service-container"><img src="https://files.example/i/p.png?expires=1&amp;signature=abc"></div>`, "no markup at all",
	"<p>line one<br>line two</p><ul><li>a</li><li>b</li></ul>", "<p>unclosed <b>bold", "<p>'; DROP TABLE conversations; --</p>", "<pre>if a &lt; b {\n\treturn\n}</pre>",
	"<p>null</p>", "<style>p{color:red}</style><p>styled</p>", "<p>👩‍👩‍👧‍👦 Z̷͇̀</p>", "<blockquote>&gt; quoted</blockquote>",
}

// Titles are titles of conversations; the first ones are empty.
var Titles = []string{"", "", "", "Where is my order?", "Rückerstattung", "請求書について", "Crash on login", "\"Quoted\" title", "a & b <c>", "0"}

// Channels are the types of first messages.
var Channels = []string{"conversation", "conversation", "conversation", "email", "email", "whatsapp", "phone_call", "instagram", "something_new"}

var deliveries = []string{"customer_initiated", "customer_initiated", "operator_initiated", "automated"}

var convAttrs = []event.Attribute{
	{Name: "Language", Raw: `"de"`}, {Name: "Language", Raw: `"日本語"`}, {Name: "CX score", Raw: "4"}, {Name: "CX score", Raw: `"4"`}, {Name: "AI Title", Raw: `"Order is late"`}, {Name: "Escalated", Raw: "true"},
	{Name: "Country code", Raw: `"FR"`}, {Name: "order number", Raw: "900719925474099312"}, {Name: "ratio", Raw: "0.50"}, {Name: "Copilot used", Raw: "false"},
}

var fileNames = []string{"screenshot.png", "Rechnung März.pdf", "log (1).txt", "写真.jpg", "a&b\"c.csv"}

var fileTypes = []string{"image/png", "application/pdf", "text/plain", "image/jpeg", "text/csv"}

var remarks = []string{"", "", "great", "zu langsam", "「ありがとう」", "<3 & more", "Line\nbreak"}

// oddParts are part types that readers do not know and must accept (trap T64).
var oddParts = []string{"quick_reply", "conversation_attribute_updated_by_workflow", "ai_guidance_applied", "language_detection_details", "💬"}

var articleTitles = []string{"How to return a parcel", "Rechnungen & Steuern", "リセット方法", "Delivery times"}
