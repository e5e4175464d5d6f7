module little

go 1.26
