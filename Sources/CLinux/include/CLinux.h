#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

// Declared, not included: Swift would take the socket types for this module's instead of Glibc's.
struct sockaddr;

/// `accept4(2)` with SOCK_NONBLOCK and SOCK_CLOEXEC: Glibc's module hides it without _GNU_SOURCE.
int clinux_accept(int descriptor, struct sockaddr *address, unsigned int *length);

/// `epoll_ctl(2)` without the `epoll_data` union, which Swift calls unsafe.
int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data);

/// Names the calling thread; longer names are cut at 15 bytes, as the kernel wants.
void clinux_name_thread(const char *name);

/// Copies the calling thread's name into the buffer.
void clinux_thread_name(char *name, unsigned long size);

/// Reads the soft and the hard limit of open descriptors; -1 with errno when that failed.
int clinux_get_descriptor_limit(uint64_t *soft, uint64_t *hard);

/// Sets the soft limit of open descriptors; -1 with errno when that failed.
int clinux_set_descriptor_limit(uint64_t soft);

/// `malloc_trim(3)` of all there is: gives free memory back to the system.
void clinux_give_back_memory(void);

#endif
