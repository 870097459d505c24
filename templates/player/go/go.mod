module player

go 1.18
