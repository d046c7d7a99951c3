// Faults of a disk, for a program that is started with this in LD_PRELOAD.
//
// FANFARE_FAULTS names a file of 8 bytes that is mapped: whoever runs the program writes there what is to happen from now on.
//   byte 0: what happens, see `fault` below
//   byte 1: how many calls go well before that; 0: the next one fails
// Only files whose names have "fanfare.db" in them are meant, and not the lock file beside it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum fault {
    none = 0,
    full = 'f',      // writes fail with ENOSPC
    broken = 'b',    // writes fail with EIO
    torn = 't',      // half of a write is made, then it fails with EIO
    unsynced = 's',  // fsync fails with EIO
    killed = 'k',    // half of a write is made, then the process is killed
    unread = 'd',    // reads fail with EIO
    readonly = 'r',  // files cannot be opened for writing, as on a file system that is mounted so
};

static volatile unsigned char *control;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FANFARE_FAULTS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) control = memory;
    close(file);
}

static int is_meant(const char *path) {
    return strstr(path, "fanfare.db") != NULL && strstr(path, ".lock") == NULL;
}

static int is_database(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_meant(path);
}

// What is to happen to a write or a sync of this file.
static int fault_of(int file, int is_write) {
    int fault = control ? control[0] : none;
    if (fault == none || fault == readonly || fault == unread || (fault == unsynced) == is_write) return none;
    if (!is_database(file)) return none;
    if (control[1] > 0) {
        control[1]--;
        return none;
    }
    return fault;
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off64_t);

static ssize_t write_at(const char *name, int file, const void *bytes, size_t count, off64_t place) {
    pwrite_function real = (pwrite_function)dlsym(RTLD_NEXT, name);
    switch (fault_of(file, 1)) {
    case full: errno = ENOSPC; return -1;
    case broken: errno = EIO; return -1;
    case torn: real(file, bytes, count / 2, place); errno = EIO; return -1;
    case killed:
        real(file, bytes, count / 2, place);
        kill(getpid(), SIGKILL);
        return -1;
    default: return real(file, bytes, count, place);
    }
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
    return write_at("pwrite", file, bytes, count, place);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
    return write_at("pwrite64", file, bytes, count, place);
}

static ssize_t read_at(const char *name, int file, void *bytes, size_t count, off64_t place) {
    ssize_t (*real)(int, void *, size_t, off64_t) = (ssize_t (*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, name);
    if (!control || control[0] != unread || !is_database(file)) return real(file, bytes, count, place);
    errno = EIO;
    return -1;
}

ssize_t pread(int file, void *bytes, size_t count, off_t place) { return read_at("pread", file, bytes, count, place); }

ssize_t pread64(int file, void *bytes, size_t count, off64_t place) {
    return read_at("pread64", file, bytes, count, place);
}

static int sync_file(const char *name, int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (fault_of(file, 0) == none) return real(file);
    errno = EIO;
    return -1;
}

int fsync(int file) { return sync_file("fsync", file); }

int fdatasync(int file) { return sync_file("fdatasync", file); }

static int open_file(const char *name, const char *path, int flags, mode_t mode) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    if (control && control[0] == readonly && (flags & O_ACCMODE) != O_RDONLY && is_meant(path)) {
        errno = EROFS;
        return -1;
    }
    return real(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_file("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_file("open64", path, flags, mode);
}
