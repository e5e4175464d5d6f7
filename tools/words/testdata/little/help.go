package little

const (
	statement = "SELECT mark FROM told"
	short     = "A Mark " + "is in two" + name + "parts."
	name      = "told"
	long      = `word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word.`
	list      = `one=1   what is told in a list
two=2   word word word word word word word word word word word word word word word
three=3 word word word word word word word word word word word word word word word`
)
