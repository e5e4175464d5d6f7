package duck

import "C" // builds this package with cgo, which compiles allocator_linux.cc
