/*
 * Runs a program under Landlock: contain [--read PATH | --write PATH]... [--offline] [--filter FILE] -- PROGRAM...
 * What is not granted is refused. For measuring only: docs/landlock.md says why it is not part of the product.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the kernel's interface, as far as it is used; the system's header may be older than the kernel. */
struct ruleset { uint64_t files, network, scoped; };
struct __attribute__((packed)) below { uint64_t allowed; int32_t parent; };
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, PATH_BENEATH = 1, VERSION = 1 };
enum { EXECUTE = 1, WRITE_FILE = 2, READ_FILE = 4, READ_DIR = 8, TRUNCATE = 1 << 14, IOCTL_DEV = 1 << 15 };
enum { ALL_V1 = (1 << 13) - 1, REFER = 1 << 13, TCP = 3, SCOPES = 3 };

static void fail(const char *what) {
	fprintf(stderr, "contain: %s: %s\n", what, strerror(errno));
	exit(125);
}

static void grant(int ruleset, const char *path, uint64_t rights) {
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0) fail(path);
	struct stat about;
	if (fstat(fd, &about) < 0) fail(path);
	if (!S_ISDIR(about.st_mode)) rights &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
	struct below rule = { rights, fd };
	if (syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0) < 0) fail(path);
	close(fd);
}

static void install(const char *path) {
	static struct sock_filter steps[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) fail(path);
	ssize_t bytes = read(fd, steps, sizeof steps);
	if (bytes <= 0 || bytes % sizeof steps[0] != 0) fail(path);
	struct sock_fprog program = { bytes / sizeof steps[0], steps };
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) fail("seccomp");
	close(fd);
}

int main(int count, char **words) {
	long version = syscall(CREATE_RULESET, NULL, 0, VERSION);
	if (version < 1) fail("this kernel has no Landlock");
	uint64_t all = ALL_V1 | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0) | (version >= 5 ? IOCTL_DEV : 0);
	int offline = 0;
	for (int at = 1; at < count && strcmp(words[at], "--") != 0; at++) offline |= strcmp(words[at], "--offline") == 0;
	struct ruleset handled = { all, offline && version >= 4 ? TCP : 0, version >= 6 ? SCOPES : 0 };
	size_t size = version >= 6 ? sizeof handled : version >= 4 ? offsetof(struct ruleset, scoped) : sizeof handled.files;
	int ruleset = syscall(CREATE_RULESET, &handled, size, 0);
	if (ruleset < 0) fail("no ruleset");
	const char *filter = NULL;
	int at = 1;
	for (; at + 1 < count && strcmp(words[at], "--") != 0; at++) {
		if (strcmp(words[at], "--offline") == 0) continue;
		if (strcmp(words[at], "--filter") == 0) filter = words[++at];
		else if (strcmp(words[at], "--read") == 0) grant(ruleset, words[++at], (EXECUTE | READ_FILE | READ_DIR) & all);
		else if (strcmp(words[at], "--write") == 0) grant(ruleset, words[++at], all);
		else { errno = EINVAL; fail(words[at]); }
	}
	if (at + 1 >= count) { errno = EINVAL; fail("no program"); }
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("no_new_privs");
	if (syscall(RESTRICT_SELF, ruleset, 0) < 0) fail("restrict");
	close(ruleset);
	if (filter != NULL) install(filter);
	execvp(words[at + 1], words + at + 1);
	fail(words[at + 1]);
}
