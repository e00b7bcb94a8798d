#!/usr/bin/env perl
# needs: perl
use strict;
use warnings;
use File::Temp qw(tempdir);
use IO::Socket::INET;
use POSIX qw(strftime);
$| = 1;
my %count;
$count{$_}++ for map { /(\w)/ ? $1 : () } qw(apple avocado banana);
print join(",", map { "$_=$count{$_}" } sort keys %count), "\n";
print strftime("%Y-%m-%d", gmtime(86400 * 365)), "\n";
my $folder = tempdir(CLEANUP => 1);
open(my $out, ">", "$folder/x") or die "open: $!";
print $out "line\n";
close $out;
print -s "$folder/x", "\n";
print `echo from a child`;
my $listener = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die "listen: $!";
if (my $pid = fork) {
  my $peer = $listener->accept;
  print scalar <$peer>;
  waitpid $pid, 0;
} else {
  my $client = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $listener->sockport) or die "connect: $!";
  print $client "over tcp\n";
  exit 0;
}
print "user ", scalar getpwuid($<), "\n";
