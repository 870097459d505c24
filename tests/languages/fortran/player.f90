program player
    implicit none
    character(len=65536) :: line
    character(len=16) :: legal(256)
    integer :: status, at, length, count
    real :: r

    call random_seed()
    do
        read (*, '(a)', iostat=status) line
        if (status /= 0 .or. index(line, '"type":"quit"') > 0) exit
        if (index(line, '"type":"init"') > 0) then
            print '(a)', 'ok'
        else if (index(line, '"type":"turn"') > 0) then
            at = index(line, '"legal":[') + 9
            count = 0
            do
                length = index(line(at + 1:), '"') - 1
                count = count + 1
                legal(count) = line(at + 1:at + length)
                at = at + length + 3
                if (line(at - 1:at - 1) == ']') exit
            end do
            call random_number(r)
            print '(a)', trim(legal(1 + int(r * count)))
        end if
    end do
end program
