package population

import "aqueduck/internal/emulator/event"

// Names and values. Some are malformed on purpose: every real workspace has such text.

var firstNames = []string{
	"Anna", "Béla", "Chloé", "Dmitri", "Eun-ji", "Fatima", "Gökçe", "Håkon", "Inés", "José", "Kwame", "Łukasz", "Mária",
	"Nguyễn", "Oluwaseun", "Priya", "Quentin", "Renée", "Søren", "Thandiwe", "Uğur", "Věra", "Wei", "Ximena", "Yūki", "Zoë",
	"Миша", "Ελένη", "محمد", "שירה", "太郎", "小红", "지훈", "สมชาย", "अनिल", "Aoife", "Björk", "Çağla", "D'Arcy", "Éloïse",
}

var lastNames = []string{
	"Smith", "Müller", "O'Brien", "García", "Nowak", "Kovács", "Jensen", "Íñiguez", "Ó Súilleabháin", "van der Berg",
	"Иванов", "Παπαδόπουλος", "الحسن", "כהן", "山田", "王", "김", "ศรีสุข", "शर्मा", "Ivić", "Țepeș", "Åberg", "Đorđević",
	"McDonald", "Silva", "Dubois", "Rossi", "Okafor", "Haddad", "Tanaka", "Fernández-López", "Şahin", "Nguyễn", "Patel",
}

// oddNames are names as people and forms write them.
var oddNames = []string{
	"😀 Smile", "<b>Bold</b> & Co", `Quote "Q" Quotington`, `Back\slash`, "Tab\tbed", "Line\nbreak", "null", "undefined",
	"Robert'); DROP TABLE contacts;--", "👩‍👩‍👧‍👦 Family", "Zalgo Z̷͇̀", "\u2028separator", "  spaces  ", "ﷺ", "𝒮𝒸𝓇𝒾𝓅𝓉", "0", "{{name}}",
}

var mailDomains = []string{
	"example.com", "example.org", "mail.example.net", "bücher.example", "sub.domain.example", "example.co.uk",
	"acme.example", "globex.example", "initech.example", "umbrella.example",
}

var places = []event.ContactLocation{
	{Country: "United States", Region: "California", City: "San Francisco"}, {Country: "United States", Region: "New York", City: "New York"}, {Country: "United States", Region: "Texas", City: "Austin"},
	{Country: "Germany", Region: "Bayern", City: "München"}, {Country: "Germany", Region: "Berlin", City: "Berlin"}, {Country: "France", Region: "Île-de-France", City: "Paris"},
	{Country: "France", Region: "Auvergne-Rhône-Alpes", City: "Lyon"}, {Country: "United Kingdom", Region: "England", City: "London"}, {Country: "United Kingdom", Region: "Scotland", City: "Edinburgh"},
	{Country: "Ireland", Region: "Leinster", City: "Dublin"}, {Country: "Spain", Region: "Cataluña", City: "Barcelona"}, {Country: "Spain", Region: "Comunidad de Madrid", City: "Madrid"},
	{Country: "Brazil", Region: "São Paulo", City: "São Paulo"}, {Country: "Brazil", Region: "Rio de Janeiro", City: "Niterói"}, {Country: "México", Region: "Ciudad de México", City: "Coyoacán"},
	{Country: "Japan", Region: "東京都", City: "新宿区"}, {Country: "Japan", Region: "大阪府", City: "大阪市"}, {Country: "China", Region: "上海市", City: "上海"}, {Country: "South Korea", Region: "서울특별시", City: "강남구"},
	{Country: "India", Region: "Karnataka", City: "Bengaluru"}, {Country: "India", Region: "Maharashtra", City: "Mumbai"}, {Country: "Türkiye", Region: "İstanbul", City: "Kadıköy"},
	{Country: "Poland", Region: "Małopolskie", City: "Kraków"}, {Country: "Hungary", Region: "Budapest", City: "Budapest"}, {Country: "Norway", Region: "Oslo", City: "Oslo"},
	{Country: "Sweden", Region: "Skåne län", City: "Malmö"}, {Country: "Iceland", Region: "Höfuðborgarsvæðið", City: "Reykjavík"}, {Country: "Côte d'Ivoire", Region: "Abidjan", City: "Abidjan"},
	{Country: "Nigeria", Region: "Lagos", City: "Lagos"}, {Country: "South Africa", Region: "Western Cape", City: "Cape Town"}, {Country: "Kiribati", Region: "Line Islands", City: "Kiritimati"},
	{Country: "American Samoa", Region: "Eastern District", City: "Pago Pago"}, {Country: "Nepal", Region: "Bagmati", City: "काठमाडौं"}, {Country: "Chile", Region: "Región Metropolitana", City: "Santiago"},
	{Country: "Australia", Region: "New South Wales", City: "Sydney"}, {Country: "Australia", Region: "Lord Howe Island", City: ""}, {Country: "New Zealand", Region: "Auckland", City: "Auckland"},
	{Country: "Canada", Region: "Québec", City: "Montréal"}, {Country: "Switzerland", Region: "Zürich", City: "Zürich"}, {Country: "Vatican City", Region: "", City: ""},
}

var browsers = []event.Browser{
	{Name: "chrome", Version: "126.0.6478.127", Language: "en-US", OS: "Windows 10"}, {Name: "chrome", Version: "125.0.0.0", Language: "de", OS: "OS X 10.15.7"},
	{Name: "chrome", Version: "126.0.0.0", Language: "pt-BR", OS: "Android 14"}, {Name: "safari", Version: "17.5", Language: "en-GB", OS: "OS X 10.15.7"}, {Name: "safari", Version: "17.4.1", Language: "ja", OS: "iOS 17.4.1"},
	{Name: "firefox", Version: "127.0", Language: "fr", OS: "Ubuntu"}, {Name: "firefox", Version: "115.0", Language: "pl", OS: "Windows 7"}, {Name: "edge", Version: "126.0.2592.81", Language: "es-419", OS: "Windows 11"},
	{Name: "samsung browser", Version: "25.0", Language: "ko-KR", OS: "Android 13"}, {Name: "opera", Version: "111.0.5168.43", Language: "tr", OS: "Windows 10"},
}

var androidApps = []event.MobileApp{
	{Name: "Acme Mobile", Version: "5.12.0", Device: "Pixel 8", OS: "14", SDK: "15.9.1"}, {Name: "Acme Mobile", Version: "5.11.3", Device: "SM-G991B", OS: "13", SDK: "15.8.0"},
	{Name: "Acme Mobile", Version: "4.0.0-beta+7", Device: "Redmi Note 12", OS: "12", SDK: "14.2.0"}, {Name: "Acme Tablet", Version: "2.1", Device: "SM-X910", OS: "14", SDK: "15.9.1"},
}

var iosApps = []event.MobileApp{
	{Name: "Acme", Version: "7.3.1", Device: "iPhone15,3", OS: "17.5.1", SDK: "17.1.0"}, {Name: "Acme", Version: "7.2.0", Device: "iPhone12,1", OS: "16.7.8", SDK: "16.6.2"},
	{Name: "Acme", Version: "7.3.1", Device: "iPad13,8", OS: "17.5", SDK: "17.1.0"}, {Name: "Acme Käfer", Version: "1.0", Device: "iPhone8,1", OS: "15.8.2", SDK: "14.0.3"},
}

var languages = []string{"", "", "", "en", "de", "fr", "pt-BR", "ja", "es", "tr", "zh-CN", "he"}

var socialSites = []event.SocialProfile{
	{Name: "Twitter", URL: "https://social.example/tw/"}, {Name: "Facebook", URL: "https://social.example/fb/"},
	{Name: "LinkedIn", URL: "https://social.example/in/"}, {Name: "Mastodon", URL: "https://mastodon.example/@"},
}

// oddAttrs have names that break readers that use them as identifiers (traps T48 and T49).
var oddAttrs = []event.Attribute{
	{Name: "Plan", Raw: `"Gold"`}, {Name: "PLAN ", Raw: `"gold"`}, {Name: "", Raw: `"no name"`}, {Name: "a.b.c", Raw: `1`}, {Name: `quo"te`, Raw: `"\"quoted\""`}, {Name: "🎉 party", Raw: `true`},
	{Name: "__proto__", Raw: `"object"`}, {Name: "'; DROP TABLE contacts; --", Raw: `"Bobby"`}, {Name: "id", Raw: `"shadow"`}, {Name: "select", Raw: `0`}, {Name: "naïve", Raw: `"naïveté"`},
	{Name: "big number", Raw: `12345678901234567890`}, {Name: "exponent", Raw: `1e3`}, {Name: "one", Raw: `1.0`}, {Name: "spaced  name", Raw: `"x"`}, {Name: "html", Raw: `"<p>a &amp; b</p>"`},
	{Name: "line\nbreak", Raw: `"two\nlines"`}, {Name: "escaped", Raw: `"\u00e9\u4e2d\ud83d\ude00"`},
	{Name: "plan", Raw: `true`}, {Name: "SCORE", Raw: `"high"`}, {Name: "score ", Raw: `7`}, {Name: " score", Raw: `false`}, {Name: "paid", Raw: `"yes"`}, {Name: "paid", Raw: `1`}, {Name: "about", Raw: `0.5`},
	{Name: "constructor", Raw: `"toString"`}, {Name: "bell\a\x01", Raw: `"\u0007"`}, {Name: "tab\there", Raw: `"\t"`}, {Name: "back\\slash", Raw: `"C:\\temp"`}, {Name: "'single'", Raw: `"it's"`},
	{Name: "חשבון", Raw: `"עברית"`}, {Name: "\u202egnp.exe", Raw: `"right to left"`}, {Name: "nai\u0308ve", Raw: `"another naïve"`}, {Name: "zero\u200bwidth", Raw: `1`},
	{Name: "custom_attributes.plan", Raw: `"nested"`}, {Name: "{{name}}", Raw: `"{{value}}"`}, {Name: "%s%n", Raw: `"%d"`}, {Name: "../../etc", Raw: `"/"`}, {Name: "null", Raw: `"null"`},
}

var planValues = []string{`"free"`, `"pro"`, `"team"`, `"enterprise"`, `"Ünlimited"`}

// NoteWords are the words that notes are made of.
var NoteWords = []string{
	"called", "back", "later", "<b>important</b>", "asked for", "invoice", "über", "the new", "plan", "and", "will", "decide", "on Monday", "😀", "per", "e-mail",
}

// FailReasons are the reasons of failed merges.
var FailReasons = []string{"user_already_merged", "contact_not_found", "duplicate_identifier", "conflict"}
