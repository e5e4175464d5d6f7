package little

const (
	statement = "SELECT mark FROM told"
	short     = "A Mark " + "is in two" + name + "parts."
	name      = "told"
	long      = `word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word.`
)
