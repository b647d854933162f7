/*
 * reach.c
 *		For tests: functions of the loaded library that it shows nobody.
 *
 * The dynamic symbols of the library are those that the server looks up; the others stand in the symbol table
 * that the linker leaves for debuggers, with addresses relative to where the library lies.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmgr.h"
#include "storage/fd.h"

#include "reach.h"

/* The offset of a function in a file in memory; 0 where its table does not have it. */
static uintptr_t
offset_of(const char *file, const char *name)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *) file;
	const ElfW(Shdr) *sections = (const ElfW(Shdr) *) (file + header->e_shoff);

	for (int i = 0; i < header->e_shnum; i++)
	{
		const ElfW(Sym) *symbols = (const ElfW(Sym) *) (file + sections[i].sh_offset);
		const char *names;

		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		names = file + sections[sections[i].sh_link].sh_offset;
		for (size_t j = 0; j < sections[i].sh_size / sizeof(*symbols); j++)
			if (ELF64_ST_TYPE(symbols[j].st_info) == STT_FUNC &&
				strcmp(names + symbols[j].st_name, name) == 0)
				return symbols[j].st_value;
	}
	return 0;
}

void *
test_reach(const char *name)
{
	Dl_info library;
	struct stat status;
	uintptr_t offset = 0;
	int fd;

	if (dladdr(load_external_function("$libdir/gaussdp", "gaussdp_ledger_worker_main", true, NULL),
			   &library) == 0)
		elog(ERROR, "the library has no address");
	fd = OpenTransientFile(library.dli_fname, O_RDONLY);
	if (fd >= 0 && fstat(fd, &status) == 0)
	{
		char *file = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (file != MAP_FAILED)
		{
			offset = offset_of(file, name);
			munmap(file, status.st_size);
		}
	}
	if (fd >= 0)
		CloseTransientFile(fd);
	if (offset == 0)
		elog(ERROR, "%s does not say where %s is", library.dli_fname, name);
	return (char *) library.dli_fbase + offset;
}
