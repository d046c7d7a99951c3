"""Files that never answer, as those of a network folder whose server is gone: a process that waits in the kernel for them.

The kernel asks us about each file that the process opens or looks at (seccomp_unotify(2)), and about some we say nothing.
"""

import array
import ctypes
import fcntl
import os
import platform
import select
import socket
import struct
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
NO_NEW_PRIVILEGES, MODE_FILTER, NEW_LISTENER, CONTINUE = 38, 1, 8, 1
RECEIVE, SEND = 0xC0502100, 0xC0182101
# The numbers of seccomp, openat, newfstatat.
NUMBERS = {"x86_64": (317, 257, 262), "aarch64": (277, 56, 79)}
SECCOMP, OPEN, LOOK = NUMBERS.get(platform.machine(), (0, 0, 0))


class Filter(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def install(to):
    """Has the kernel ask about the files of this process and all that it becomes; the other side gets the descriptor."""
    notify, allow = 0x7FC00000, 0x7FFF0000
    code = b"".join(struct.pack("HBBI", *step) for step in [
        (0x20, 0, 0, 0), (0x15, 1, 0, OPEN), (0x15, 0, 1, LOOK), (0x06, 0, 0, notify), (0x06, 0, 0, allow)])
    buffer = ctypes.create_string_buffer(code)
    filter = Filter(len(code) // 8, ctypes.addressof(buffer))
    if LIBC.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        os._exit(100)
    listener = LIBC.syscall(SECCOMP, MODE_FILTER, NEW_LISTENER, ctypes.byref(filter))
    if listener < 0:
        os._exit(101)
    to.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])


class Unanswered:
    """What to give to a process before it begins: `preexec_fn=unanswered.begin`; then files may be made to answer no more."""

    def __init__(self):
        self.ours, self.theirs = socket.socketpair()
        self.lock = threading.Lock()
        self.silent, self.waiting, self.asked = set(), [], threading.Condition(self.lock)
        self.listener = None
        threading.Thread(target=self.answer, daemon=True).start()

    def begin(self):
        install(self.theirs)

    def silence(self, *paths):
        """From now on these do not answer."""
        with self.lock:
            self.silent.update(paths)

    def until_asked(self, count, patience):
        """Waits until so many calls wait for a file."""
        with self.asked:
            assert self.asked.wait_for(lambda: len(self.waiting) >= count, patience), "nobody asks for the file"

    def release(self):
        """All files answer again, and those that waited are answered."""
        with self.lock:
            self.silent.clear()
            waiting, self.waiting = self.waiting, []
        for request in waiting:
            self.go_on(request)

    def go_on(self, request):
        try:
            fcntl.ioctl(self.listener, SEND, struct.pack("QqiI", request, 0, 0, CONTINUE))
        except OSError:
            pass  # whoever asked is gone

    def answer(self):
        _, rights, _, _ = self.ours.recvmsg(1, socket.CMSG_SPACE(4))
        self.listener = struct.unpack("i", rights[0][2])[0]
        hung_up = select.poll()
        hung_up.register(self.listener, select.POLLIN)
        while True:
            if any(event & (select.POLLHUP | select.POLLERR) for _, event in hung_up.poll()):
                return
            try:
                told = fcntl.ioctl(self.listener, RECEIVE, bytes(80))
            except OSError:
                continue
            request, process = struct.unpack_from("QI", told)
            path = self.path(process, struct.unpack_from("Q", told, 40)[0])
            with self.asked:
                if path in self.silent:
                    self.waiting.append(request)
                    self.asked.notify_all()
                    continue
            self.go_on(request)

    @staticmethod
    def path(process, address):
        try:
            with open("/proc/%d/mem" % process, "rb", buffering=0) as memory:
                memory.seek(address)
                return os.fsdecode(memory.read(4096).split(b"\0", 1)[0])
        except (OSError, ValueError):
            return None


def is_possible():
    """Whether the kernel lets us be asked."""
    process = os.fork()
    if process == 0:
        one, other = socket.socketpair()
        install(one)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
