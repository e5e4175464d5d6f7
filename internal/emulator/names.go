package emulator

// Material for names and values. Some of it is nasty on purpose: readers meet such text in every real workspace.

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

// oddNames are written as such by people and by forms.
var oddNames = []string{
	"😀 Smile", "<b>Bold</b> & Co", `Quote "Q" Quotington`, `Back\slash`, "Tab\tbed", "Line\nbreak", "null", "undefined",
	"Robert'); DROP TABLE contacts;--", "👩‍👩‍👧‍👦 Family", "Zalgo Z̷͇̀", "\u2028separator", "  spaces  ", "ﷺ", "𝒮𝒸𝓇𝒾𝓅𝓉", "0", "{{name}}",
}

var mailDomains = []string{
	"example.com", "example.org", "mail.example.net", "bücher.example", "sub.domain.example", "example.co.uk",
	"acme.example", "globex.example", "initech.example", "umbrella.example",
}

var places = []place{
	{"United States", "California", "San Francisco"}, {"United States", "New York", "New York"}, {"United States", "Texas", "Austin"},
	{"Germany", "Bayern", "München"}, {"Germany", "Berlin", "Berlin"}, {"France", "Île-de-France", "Paris"},
	{"France", "Auvergne-Rhône-Alpes", "Lyon"}, {"United Kingdom", "England", "London"}, {"United Kingdom", "Scotland", "Edinburgh"},
	{"Ireland", "Leinster", "Dublin"}, {"Spain", "Cataluña", "Barcelona"}, {"Spain", "Comunidad de Madrid", "Madrid"},
	{"Brazil", "São Paulo", "São Paulo"}, {"Brazil", "Rio de Janeiro", "Niterói"}, {"México", "Ciudad de México", "Coyoacán"},
	{"Japan", "東京都", "新宿区"}, {"Japan", "大阪府", "大阪市"}, {"China", "上海市", "上海"}, {"South Korea", "서울특별시", "강남구"},
	{"India", "Karnataka", "Bengaluru"}, {"India", "Maharashtra", "Mumbai"}, {"Türkiye", "İstanbul", "Kadıköy"},
	{"Poland", "Małopolskie", "Kraków"}, {"Hungary", "Budapest", "Budapest"}, {"Norway", "Oslo", "Oslo"},
	{"Sweden", "Skåne län", "Malmö"}, {"Iceland", "Höfuðborgarsvæðið", "Reykjavík"}, {"Côte d'Ivoire", "Abidjan", "Abidjan"},
	{"Nigeria", "Lagos", "Lagos"}, {"South Africa", "Western Cape", "Cape Town"}, {"Kiribati", "Line Islands", "Kiritimati"},
	{"American Samoa", "Eastern District", "Pago Pago"}, {"Nepal", "Bagmati", "काठमाडौं"}, {"Chile", "Región Metropolitana", "Santiago"},
	{"Australia", "New South Wales", "Sydney"}, {"Australia", "Lord Howe Island", ""}, {"New Zealand", "Auckland", "Auckland"},
	{"Canada", "Québec", "Montréal"}, {"Switzerland", "Zürich", "Zürich"}, {"Vatican City", "", ""},
}

var browsers = []browser{
	{"chrome", "126.0.6478.127", "en-US", "Windows 10"}, {"chrome", "125.0.0.0", "de", "OS X 10.15.7"},
	{"chrome", "126.0.0.0", "pt-BR", "Android 14"}, {"safari", "17.5", "en-GB", "OS X 10.15.7"}, {"safari", "17.4.1", "ja", "iOS 17.4.1"},
	{"firefox", "127.0", "fr", "Ubuntu"}, {"firefox", "115.0", "pl", "Windows 7"}, {"edge", "126.0.2592.81", "es-419", "Windows 11"},
	{"samsung browser", "25.0", "ko-KR", "Android 13"}, {"opera", "111.0.5168.43", "tr", "Windows 10"},
}

var androidApps = []app{
	{"Acme Mobile", "5.12.0", "Pixel 8", "14", "15.9.1"}, {"Acme Mobile", "5.11.3", "SM-G991B", "13", "15.8.0"},
	{"Acme Mobile", "4.0.0-beta+7", "Redmi Note 12", "12", "14.2.0"}, {"Acme Tablet", "2.1", "SM-X910", "14", "15.9.1"},
}

var iosApps = []app{
	{"Acme", "7.3.1", "iPhone15,3", "17.5.1", "17.1.0"}, {"Acme", "7.2.0", "iPhone12,1", "16.7.8", "16.6.2"},
	{"Acme", "7.3.1", "iPad13,8", "17.5", "17.1.0"}, {"Acme Käfer", "1.0", "iPhone8,1", "15.8.2", "14.0.3"},
}

var languages = []string{"", "", "", "en", "de", "fr", "pt-BR", "ja", "es", "tr", "zh-CN", "he"}

var socialSites = []social{
	{"Twitter", "https://social.example/tw/"}, {"Facebook", "https://social.example/fb/"},
	{"LinkedIn", "https://social.example/in/"}, {"Mastodon", "https://mastodon.example/@"},
}

// oddAttrs are names that break readers who use them as identifiers (traps T48 and T49).
var oddAttrs = []attr{
	{"Plan", `"Gold"`}, {"PLAN ", `"gold"`}, {"", `"no name"`}, {"a.b.c", `1`}, {`quo"te`, `"\"quoted\""`}, {"🎉 party", `true`},
	{"__proto__", `"object"`}, {"'; DROP TABLE contacts; --", `"Bobby"`}, {"id", `"shadow"`}, {"select", `0`}, {"naïve", `"naïveté"`},
	{"big number", `12345678901234567890`}, {"exponent", `1e3`}, {"one", `1.0`}, {"spaced  name", `"x"`}, {"html", `"<p>a &amp; b</p>"`},
	{"line\nbreak", `"two\nlines"`}, {"escaped", `"\u00e9\u4e2d\ud83d\ude00"`},
	{"plan", `true`}, {"SCORE", `"high"`}, {"score ", `7`}, {" score", `false`}, {"paid", `"yes"`}, {"paid", `1`}, {"about", `0.5`},
	{"constructor", `"toString"`}, {"bell\a\x01", `"\u0007"`}, {"tab\there", `"\t"`}, {"back\\slash", `"C:\\temp"`}, {"'single'", `"it's"`},
	{"חשבון", `"עברית"`}, {"\u202egnp.exe", `"right to left"`}, {"nai\u0308ve", `"another naïve"`}, {"zero\u200bwidth", `1`},
	{"custom_attributes.plan", `"nested"`}, {"{{name}}", `"{{value}}"`}, {"%s%n", `"%d"`}, {"../../etc", `"/"`}, {"null", `"null"`},
}

var planValues = []string{`"free"`, `"pro"`, `"team"`, `"enterprise"`, `"Ünlimited"`}

var tagWords = []string{
	"vip", "beta", "churn risk", "newsletter", "événement", "öko", "日本", "trial", "paid", "support:gold", "a&b", `"quoted"`,
	"🎯 target", "do not call", "partner", "press", "webinar 2023", "import/7", "legacy", "reviewed",
}

var segmentNames = []string{
	"All users", "All leads", "Active", "New", "Slipping Away", "Power users", "Europe", "Café owners", "On mobile", "Paying", "No e-mail", "Tagged",
}

var noteWords = []string{
	"called", "back", "later", "<b>important</b>", "asked for", "invoice", "über", "the new", "plan", "and", "will", "decide", "on Monday", "😀", "per", "e-mail",
}

var failReasons = []string{"user_already_merged", "contact_not_found", "duplicate_identifier", "conflict"}
