// A clock that is wrong, for a program that is started with this in LD_PRELOAD.
//
// FANFARE_CLOCK names a file of 8 bytes that is mapped: by so many seconds (signed, of this machine's byte order) the time
// of day is ahead from now on. The clock that is never set stays what it is.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
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

// The kernel waits by its own time of day, which waits that were reckoned by the wrong one must not notice. Times so near
// the clock's origin are of the other clock.
static struct timespec kernels(const struct timespec *until) {
    struct timespec time = *until;
    if (lead && time.tv_sec > 1000000000) time.tv_sec -= *lead;
    return time;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    int (*next)(sem_t *, const struct timespec *) = dlsym(RTLD_NEXT, "sem_timedwait");
    struct timespec time = kernels(until);
    return next(semaphore, &time);
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) =
        dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!next) next = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec time = kernels(until);
    return next(condition, mutex, &time);
}
