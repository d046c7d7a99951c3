// A clock that is wrong, for a program that is started with this in LD_PRELOAD.
//
// FANFARE_CLOCK names a file of 8 bytes that is mapped: by so many seconds (signed, of this machine's byte order) the time
// of day is ahead from now on. The clock that is never set stays what it is.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *lead;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FANFARE_CLOCK");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) lead = memory;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && lead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *lead;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}
