/* Stands between a process and its disk (LD_PRELOAD): fails the Nth write below a folder, or
   records what is written, synced and renamed there. Linux, 64 bit. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char watched[4096];
static size_t watched_size;
static long seen, fail_at;
static int fail_errno, fail_lasting, log_fd = -1;

static void reset(const char *folder) {
    fail_at = 0;
    watched_size = 0;
    __atomic_store_n(&seen, 0, __ATOMIC_SEQ_CST);
    strncpy(watched, folder, sizeof watched - 1);
    watched_size = strlen(watched);
}

/* From the nth call on (or only there) every write below the folder fails. */
void disk_fail(const char *folder, long nth, int error, int lasting) {
    reset(folder);
    fail_errno = error;
    fail_lasting = lasting;
    fail_at = nth;
}

/* Return how many calls there were since, and let all succeed again. */
long disk_heal(void) {
    fail_at = 0;
    watched_size = 0;
    return seen;
}

/* Append each call to a file that must lie elsewhere. */
void disk_record(const char *folder, const char *log) {
    reset(folder);
    log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

static int is_watched(const char *path) {
    return watched_size && !strncmp(path, watched, watched_size);
}

static void note(const char *call, const char *path, const char *other) {
    char line[9000];
    if (log_fd < 0 || !is_watched(path)) return;
    int size = snprintf(line, sizeof line, "%s\t%s\t%s\n", call, path, other);
    syscall(SYS_write, log_fd, line, size);
}

/* Say whether this call is to fail, with errno set. */
static int meets(const char *call, const char *path, const char *other) {
    if (!is_watched(path)) return 0;
    long number = __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST);
    note(call, path, other);
    if (!fail_at || number < fail_at || (number > fail_at && !fail_lasting)) return 0;
    errno = fail_errno;
    return 1;
}

static int read_path(int fd, char *path, size_t room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, path, room - 1);
    if (size <= 0) return 0;
    path[size] = 0;
    return 1;
}

static int meets_fd(const char *call, int fd) {
    char path[4096];
    return watched_size && read_path(fd, path, sizeof path) && meets(call, path, "");
}

ssize_t write(int fd, const void *data, size_t size) {
    return meets_fd("write", fd) ? -1 : syscall(SYS_write, fd, data, size);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) {
    return meets_fd("write", fd) ? -1 : syscall(SYS_pwrite64, fd, data, size, at);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return pwrite64(fd, data, size, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    return meets_fd("write", fd) ? -1 : syscall(SYS_writev, fd, parts, count);
}
int ftruncate64(int fd, off_t size) {
    return meets_fd("truncate", fd) ? -1 : syscall(SYS_ftruncate, fd, size);
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
int fsync(int fd) { return meets_fd("sync", fd) ? -1 : syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return meets_fd("sync", fd) ? -1 : syscall(SYS_fdatasync, fd); }

/* Opening a file that is there needs no room, whatever the flags say. */
static int open_at(int folder, const char *path, int flags, mode_t mode) {
    int is_new = (flags & O_CREAT) && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0;
    if ((flags & O_CREAT) && meets("create", path, "") && is_new) return -1;
    return syscall(SYS_openat, folder, path, flags, mode);
}
#define OPEN(name)                                                  \
    int name(const char *path, int flags, ...) {                    \
        va_list more;                                               \
        va_start(more, flags);                                      \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;   \
        va_end(more);                                               \
        return open_at(AT_FDCWD, path, flags, mode);                \
    }
OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode) {
    return meets("mkdir", path, "") ? -1 : syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
int rename(const char *from, const char *to) {
    if (meets("rename", from, to)) return -1;
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Removing needs no room: it is noted and never fails. */
int unlink(const char *path) {
    note("remove", path, "");
    return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int unlinkat(int folder, const char *name, int flags) {
    char path[4096], whole[8300];
    if (folder != AT_FDCWD && read_path(folder, path, sizeof path)) {
        snprintf(whole, sizeof whole, "%s/%s", path, name);
        note("remove", whole, "");
    } else {
        note("remove", name, "");
    }
    return syscall(SYS_unlinkat, folder, name, flags);
}
