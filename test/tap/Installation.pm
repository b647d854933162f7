# An installation of PostgreSQL that is the test's own: which gaussdp is in it, the test decides, and nothing of it is seen elsewhere.
# Programs look for libraries and extensions relative to their own place: those are copied, all else is linked.
package Installation;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Basename;
use File::Path qw(make_path);
use PostgreSQL::Test::Utils;

our @EXPORT = qw(own_installation tree_of relabel install);

my ($pg_config, $root, %place);

sub run_or_die
{
	my (@command) = @_;
	PostgreSQL::Test::Utils::system_log(@command) == 0 or die "failed: @command";
	return;
}

# The servers and clients of this test come from it from now on. Returns the folder of its programs.
sub own_installation
{
	($pg_config) = grep { -x } map { "$_/pg_config" } split(/:/, $ENV{PATH});
	chomp($place{$_} = `$pg_config --$_`) foreach 'bindir', 'pkglibdir', 'sharedir';
	$root = PostgreSQL::Test::Utils::tempdir();
	make_path(map { "$root$_" } $place{bindir}, $place{pkglibdir}, "$place{sharedir}/extension");
	run_or_die('cp', glob("$place{bindir}/*"), "$root$place{bindir}/");
	foreach my $file (map { glob("$_/*") } $place{pkglibdir}, $place{sharedir}, "$place{sharedir}/extension")
	{
		next if basename($file) =~ /^(bitcode|extension)$|^gaussdp[-.]/;
		symlink($file, "$root$file") or die "$file: $!";
	}
	$ENV{PATH} = "$root$place{bindir}:$ENV{PATH}";
	return "$root$place{bindir}";
}

# A copy of sources, which may be changed.
sub tree_of
{
	my ($sources) = @_;
	my $tree = PostgreSQL::Test::Utils::tempdir();
	run_or_die('sh', '-c', "tar -C '$sources' -c --exclude=./build --exclude=./.git . | tar -C '$tree' -x");
	return $tree;
}

sub change_file
{
	my ($file, $change) = @_;
	local $_ = slurp_file($file);
	$change->() or die "$file has nothing to change";
	open(my $out, '>', $file) or die "$file: $!";
	print $out $_;
	close($out) or die "$file: $!";
	return;
}

# Makes these sources those of another version, which differs in its number alone.
sub relabel
{
	my ($tree, $version) = @_;
	change_file("$tree/gaussdp.control", sub { s/^default_version.*/default_version = '$version'/m });
	change_file("$tree/src/gaussdp.sql", sub { s/(check_library\(')[\d.]+/$1$version/ });
	utime(undef, undef, "$tree/src/version.c", "$tree/src/gaussdp.c");    # which alone know the number
	return;
}

# Builds what has changed, and puts it where a package would.
sub install
{
	my ($tree) = @_;
	delete local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)};
	# The record of the server's nodes is in build/, which is not copied: it would make anew all that depends on it.
	my ($major) = `$pg_config --version` =~ /(\d+)/;
	run_or_die('make', '-s', '-C', $tree, '-o', "build/policy-nodes-$major", 'with_llvm=no', "PG_CONFIG=$pg_config", "DESTDIR=$root", 'install');
	return;
}

1;
