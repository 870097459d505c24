use strict;
use warnings;

STDOUT->autoflush(1);
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
