# Builds the plain C programs of test/*/ with the core and the calibration library, without any PostgreSQL header.
#
#   make -f test/native.mk OUT=build/native/plain
#   make -f test/native.mk OUT=build/native/sanitized SANITIZE=-fsanitize=address,undefined

OUT      ?= build/native/plain
SANITIZE ?=
# Lines are all that a sanitizer's report needs, and -O2 takes twice the time to build what it checks.
CFLAGS    = -std=c11 $(if $(SANITIZE),-O1,-O2) -g1 -Wall -Wextra -Werror -ffp-contract=off -fno-math-errno -Isrc -Itest/unit \
            $(if $(SANITIZE),$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(COPT)

SOURCES  = $(wildcard test/unit/*.c test/fuzz/*.c test/attack/*.c)
PROGRAMS = $(SOURCES:test/%.c=$(OUT)/%)
OBJECTS  = $(patsubst src/%.c,$(OUT)/src/%.o,$(wildcard src/core/*.c src/gdp/*.c))
HEADERS  = $(wildcard src/core/*.h src/gdp/*.h test/*/*.h)

.PHONY: all
all: $(PROGRAMS)

$(OUT)/src/%.o: src/%.c $(HEADERS) test/native.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

# An archive, so that a program takes only what it uses.  One whose source is gone goes too.
$(OUT)/gdp.a: $(OBJECTS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcs $@ $^

$(PROGRAMS): $(OUT)/%: test/%.c $(OUT)/gdp.a $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $< $(OUT)/gdp.a -lm
