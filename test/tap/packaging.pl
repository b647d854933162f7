# Installing: into any place, and out of it again without a trace; what is missing is said before anything is built; and META.json is
# what PGXN demands.
use strict;
use warnings FATAL => 'all';

use File::Find;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $temp = PostgreSQL::Test::Utils::tempdir();
chomp(my ($bindir, $pkglibdir, $sharedir) = map { `pg_config --$_` } 'bindir', 'pkglibdir', 'sharedir');
my ($major) = `pg_config --version` =~ /(\d+)/;
my ($version) = slurp_file('gaussdp.control') =~ /^default_version *= *'([\d.]+)'/m;
my @scripts = ("gaussdp--$version.sql", glob('gaussdp--*--*.sql'));
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)};

# Runs a command; its status and what it printed.
sub run_command_line
{
	my (@command) = @_;
	my $output = '';
	IPC::Run::run(\@command, '<', '/dev/null', '>&', \$output);
	return ($? >> 8, $output);
}

# make, without building anew what is built: the record of the server's nodes was not copied with the tree.  Bitcode, of which
# a normal run has none (test/run), is built and installed in the long form.
my @bitcode = $ENV{GAUSSDP_FULL} ? () : ('with_llvm=no');

sub make
{
	my ($status, $output) = run_command_line('make', '-s', '-o', "build/policy-nodes-$major", @bitcode, @_);
	is($status, 0, "make @_") or diag($output);
	return $output;
}

sub files_in
{
	my ($dir) = @_;
	my @files;
	find({ no_chdir => 1, wanted => sub { push @files, substr($_, length $dir) unless -d } }, $dir) if -d $dir;
	return sort @files;
}

# DESTDIR, prefix and any pg_config
sub installed
{
	my ($lib, $share) = @_;
	return [ sort "$lib/gaussdp.so", map { "$share/extension/$_" } 'gaussdp.control', @scripts ];
}

make("DESTDIR=$temp/package", 'install');
is_deeply([ grep { !/bitcode/ } files_in("$temp/package") ], installed($pkglibdir, $sharedir), 'DESTDIR has all files, in the folders of the server');
make("DESTDIR=$temp/package", 'uninstall');
is_deeply([ files_in("$temp/package") ], [], 'and uninstall leaves nothing of them');

make("prefix=$temp/extras", 'install');
is_deeply([ grep { !/bitcode/ } files_in("$temp/extras") ],
	installed('/lib/postgresql', '/share/postgresql'), 'prefix has all files');
make("prefix=$temp/extras", 'uninstall');
is_deeply([ files_in("$temp/extras") ], [], 'and uninstall leaves nothing of them');

make("prefix=$temp/pgsql", 'with_llvm=no', 'install');
is_deeply([ files_in("$temp/pgsql") ],
	installed('/lib', '/share'), 'a prefix that names PostgreSQL has them without a further folder');

# A pg_config that answers for another place, as that of a server in somebody's home does
mkdir "$temp/home" or die;
append_to_file("$temp/pg_config", <<"END");
#!/bin/sh
case \$1 in
--pkglibdir) echo $temp/home/lib ;;
--sharedir) echo $temp/home/share ;;
*) exec $bindir/pg_config "\$@" ;;
esac
END
chmod 0755, "$temp/pg_config" or die;
make("PG_CONFIG=$temp/pg_config", 'with_llvm=no', 'install');
is_deeply([ files_in("$temp/home") ], installed('/lib', '/share'), 'PG_CONFIG says where');
make("PG_CONFIG=$temp/pg_config", 'with_llvm=no', 'uninstall');
is_deeply([ files_in("$temp/home") ], [], 'and from where');

# What is missing.  Packages and sudo are absent for these commands alone.
mkdir "$temp/none" or die;
append_to_file("$temp/none/$_", "#!/bin/sh\nexit 1\n"), chmod(0755, "$temp/none/$_") foreach 'sudo', 'dpkg-query';
SKIP:
{
	skip 'needs apt-get', 3 unless grep { -x "$_/apt-get" } split(/:/, $ENV{PATH});
	local $ENV{PATH} = "$temp/none:$ENV{PATH}";
	my ($status, $output) = run_command_line('make', '-s', 'demo');
	isnt($status, 0, 'make demo fails without the packages and without sudo');
	like($output, qr/^deps: missing: gcc .*\bpostgresql-server-dev-$major\b.*^deps: .*apt-get install .*\bgcc\b/ms, 'and names what is missing');
	unlike($output, qr/building/, 'before it builds');
}
unlink "$temp/none/dpkg-query" or die;
SKIP:
{
	skip 'may write there', 3 if -w $pkglibdir;
	local $ENV{PATH} = "$temp/none:$ENV{PATH}";
	my ($status, $output) = run_command_line('demo/run');
	isnt($status, 0, 'the demo fails where it may not install');
	like($output, qr/^demo: missing: the right to install into \Q$pkglibdir\E/m, 'and names what is missing');
	unlike($output, qr/^building/m, 'before it builds');
}

# The regression tests as a package runs them; after make clean the tree is as it came.
my $node = PostgreSQL::Test::Cluster->new('installcheck');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\nfsync = off");
$node->start;
my $tree = "$temp/tree";
PostgreSQL::Test::Utils::system_log('cp', '-a', '.', $tree);
sub sources_in { return grep { !m{^/build/|\.(?:o|bc|so)$|^/gaussdp--[\d.]+\.sql$} } files_in(@_) }
my @before = sources_in($tree);
{
	local @ENV{qw(PGHOST PGPORT)} = ($node->host, $node->port);
	# one of them, which says that they are found; kind regress runs all, and so does this in the long form
	like(make('-C', $tree, $ENV{GAUSSDP_FULL} ? () : 'REGRESS=conversions', 'installcheck'), qr/tests? passed/, 'installcheck passes');
}
make('-C', $tree, 'clean');
is_deeply([ grep { !m{^/build/} } files_in($tree) ], \@before, 'make clean leaves the sources');
$node->stop;

# Who maintains the Debian packages: a name and an address that is valid, in a domain that nobody can have.
my ($maintainer) = slurp_file('debian/control.in') =~ /^Maintainer: (.*)$/m;
like($maintainer, qr/^[^<>@]+ <[\w.-]+@[\w-]+\.invalid>$/, 'the maintainer of the Debian packages has a valid address, which is nobody\'s');
like(slurp_file('debian/changelog'), qr/^ -- \Q$maintainer\E  /m, 'and made the last version');

# META.json by version 1.0.0 of PGXN's specification.  Keys that begin with x_ are free in each map.
my $meta = decode_json(slurp_file('META.json'));
my $semver = qr/^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-?[A-Za-z][\w-]*)?$/;
my $range = qr/^(?:0|(?:(?:==|!=|>=|<=|>|<) *)?\d+\.\d+\.\d+(?: *, *(?:==|!=|>=|<=|>|<) *\d+\.\d+\.\d+)*)$/;
my $term = qr/^[^\s\/\\[:cntrl:]]{2,}$/;
my $url = qr{^(?:https?|git|ssh|svn)://\S+$};

# Which keys of a map are neither allowed nor free, and which it lacks
sub keys_of
{
	my ($map, $required, @optional) = @_;
	my %allowed = map { $_ => 1 } @$required, @optional;
	return ((grep { !$allowed{$_} && !/^x_/ } keys %$map), (map { "no $_" } grep { !exists $map->{$_} } @$required));
}

is_deeply([ keys_of($meta, [ qw(name version abstract maintainer license provides meta-spec) ],
	qw(description generated_by tags no_index prereqs release_status resources)) ], [], 'META.json has the keys that are demanded, and no unknown ones');
like($meta->{name}, $term, 'its name is a term');
like($meta->{version}, $semver, 'its version is a semantic one');
ok(length $meta->{$_} && !ref $meta->{$_}, "it has $_") foreach qw(abstract maintainer description);
unlike($meta->{maintainer}, qr/example|localhost|noreply/, 'nobody is its maintainer who is not there');
is($meta->{license}, 'postgresql', 'its license is one of the list');
is($meta->{'meta-spec'}{version}, '1.0.0', 'it names the specification');
like($meta->{release_status}, qr/^(?:stable|testing|unstable)$/, 'its status is one of the list');
is_deeply([ grep { ref || !length || length > 256 || m{[/\\[:cntrl:]]} } @{ $meta->{tags} } ], [], 'its tags are terms');
foreach my $name (sort keys %{ $meta->{provides} })
{
	my $extension = $meta->{provides}{$name};
	is_deeply([ keys_of($extension, [ qw(file version) ], qw(abstract docfile)) ], [], "extension $name has the keys that are demanded");
	like($extension->{version}, $semver, 'and a semantic version');
	ok(-f $extension->{$_}, "$extension->{$_} is there") foreach qw(file docfile);
}
foreach my $phase (sort keys %{ $meta->{prereqs} })
{
	like($phase, qr/^(?:configure|build|test|runtime|develop)$/, "phase $phase is one of the list");
	foreach my $relation (sort keys %{ $meta->{prereqs}{$phase} })
	{
		my $needed = $meta->{prereqs}{$phase}{$relation};
		like($relation, qr/^(?:requires|recommends|suggests|conflicts)$/, "$relation is one of the list");
		like($needed->{$_}, $range, "$_ $needed->{$_} is a range of versions") foreach sort keys %$needed;
	}
}
my $resources = $meta->{resources};
is_deeply([ keys_of($resources, [], qw(homepage bugtracker repository)) ], [], 'its resources are of the list');
my %address = (homepage => $resources->{homepage}, bugtracker => $resources->{bugtracker}{web},
	repository => $resources->{repository}{web}, source => $resources->{repository}{url});
like($address{$_}, $url, "$_ is an address") foreach grep { defined $address{$_} } sort keys %address;
is_deeply([ keys_of($meta->{no_index}, [], qw(file directory)) ], [], 'what is not indexed are files and folders');
ok(-e, "$_ is there") foreach map { @$_ } values %{ $meta->{no_index} };

done_testing();
