\ Reads a line at a time, and picks one of the words between quotes behind "legal":[
create line 65536 allot
variable seed  utime drop seed !
: random ( n -- m ) seed @ 1103515245 * 12345 + 2147483647 and dup seed ! 65536 / swap mod ;
: has ( a n b m -- flag ) search nip nip ;
: quote ( a n -- a' n' ) s\" \"" search drop 1 /string ;   \ behind the next quote
: list ( a n -- a' n' ) s\" \"legal\":[" search drop 9 /string 2dup s" ]" search drop nip - ;
: count-quotes ( a n -- k ) 0 -rot bounds ?do i c@ [char] " = if 1+ then loop ;
: action ( a n -- )
  list 2dup count-quotes 2/ random 2* 0 ?do quote loop quote
  2dup quote nip - 1- type cr ;
: play ( -- )
  begin line 65535 stdin read-line throw while
    line swap
    2dup s\" \"type\":\"quit\"" has if 2drop exit then
    2dup s\" \"type\":\"init\"" has if ." ok" cr then
    2dup s\" \"type\":\"turn\"" has if 2dup action then
    2drop stdout flush-file throw
  repeat drop ;
play bye
