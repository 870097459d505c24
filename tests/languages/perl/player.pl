use strict;
use warnings;

$| = 1;    # flushes after every print
while (my $line = <STDIN>) {
    if ($line =~ /"type":"init"/) {
        print "ok\n";
    } elsif ($line =~ /"legal":\["(.*?)"\]/) {
        my @legal = split /","/, $1;
        print $legal[rand @legal], "\n";
    } elsif ($line =~ /"type":"quit"/) {
        last;
    }
}
