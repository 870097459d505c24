# One way after the other to break out, wear down or deceive: `hostile.py WHAT`. It greets, tries,
# and then says on stderr what came of it, `held` or `broken`; afterwards it plays on by the first
# legal action, so that a game which ends well says that nothing else was disturbed.
import ctypes
import errno
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EROFS, errno.ENOENT, errno.ESRCH,
           errno.EAFNOSUPPORT, errno.ENETUNREACH, errno.EAGAIN, errno.ENOSPC, errno.EMFILE,
           errno.ENODEV, errno.ENXIO, errno.EINVAL, errno.EFBIG, errno.ENOMEM, errno.ECONNREFUSED)


def call(number, *args):
    """A bare system call; 0 or more when it worked."""
    ctypes.set_errno(0)
    done = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(arg) for arg in args])
    if done >= 0:
        return True
    if ctypes.get_errno() not in REFUSED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return False


def works(what):
    """Whether something that must be refused works."""
    try:
        what()
        return True
    except OSError as error:
        if error.errno not in REFUSED:
            raise
        return False


def opens(path, flags=os.O_RDONLY):
    return works(lambda: os.close(os.open(path, flags, 0o600)))


def fork_until_refused():
    children = 0
    try:
        while children < 5000:
            if os.fork() == 0:
                signal.pause()
                os._exit(0)
            children += 1
    except OSError:
        pass
    return children >= 5000


def threads_until_refused():
    count = 0
    try:
        while count < 5000:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    return count >= 5000


def many_files(folder):
    def fill():
        for number in range(20_000):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY, 0o600))
    return works(fill)


def sockets():
    kinds = [(socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET6, socket.SOCK_DGRAM),
             (socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_NETLINK, socket.SOCK_RAW),
             (socket.AF_VSOCK, socket.SOCK_STREAM)]
    return any(works(lambda kind=kind: socket.socket(*kind).close()) for kind in kinds)


def others():
    """Every process that is not this one's own."""
    own = os.getpid()
    return [int(name) for name in listing("/proc") if name.isdigit() and int(name) != own]


def listing(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


def referee():
    """The guard, or the first process of the box."""
    return os.getppid()


def nested_namespaces():
    flags = [0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000]
    return any(call(272, flag) for flag in flags) or call(435, 0, 0)


def kernel():
    numbers = {"bpf": 321, "perf": 298, "userfaultfd": 323, "keyctl": 250, "add_key": 248,
               "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "setns": 308,
               "io_uring": 425, "init_module": 175, "kexec": 246, "reboot": 169, "swapon": 167,
               "fsopen": 430, "open_tree": 428, "fanotify": 300, "handle": 304}
    return any(call(number, 0, 0, 0, 0, 0) for number in numbers.values())


def x32():
    return call(0x40000000 + 39)


def old_numbers():
    """SysV memory, queues and semaphores under one key for two players."""
    return call(29, 4711, 4096, 0o1666) or call(64, 4711, 1, 0o1666) or call(68, 4711, 0o1666)


def clock_and_priority():
    def set_clock():
        return call(227, 0, 0)
    def real_time():
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    def faster():
        os.setpriority(os.PRIO_PROCESS, 0, -5)
    return set_clock() or works(real_time) or works(faster)


def reach_referee():
    target = referee()
    def limits():
        resource.prlimit(target, resource.RLIMIT_NOFILE, (8, 8))
    def cores():
        os.sched_setaffinity(target, {0})
    def nice():
        os.setpriority(os.PRIO_PROCESS, target, 19)
    def stop():
        os.kill(target, signal.SIGWINCH)
    def memory():
        os.close(os.open(f"/proc/{target}/mem", os.O_RDWR))
    attempts = [limits, cores, nice, memory] + ([stop] if target > 1 else [])
    vector = struct.pack("QQ", 0, 0)
    return any(works(attempt) for attempt in attempts) or call(101, 16, target, 0, 0)


def other_cores():
    return works(lambda: os.sched_setaffinity(0, range(os.cpu_count())))


def setuid():
    status = open("/proc/self/status").read()
    return "NoNewPrivs:\t1" not in status


def descriptors():
    extra = [fd for fd in listing("/proc/self/fd") if int(fd) > 2]
    # One of them is the listing itself.
    return len(extra) > 1


def open_many():
    files = []
    try:
        while len(files) < 5000:
            files.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    broken = len(files) >= 5000
    for fd in files:
        os.close(fd)
    return broken


def secrets():
    return any("SECRET" in name for name in os.environ) or "SECRET" in open("/proc/self/cmdline").read()


def write_outside():
    places = ["/usr/.hostile", "/etc/.hostile", "/var/tmp/.hostile", "./.hostile",
              "/proc/sys/kernel/core_pattern", "/dev/shm/../.hostile", "/.hostile"]
    flags = os.O_WRONLY | os.O_CREAT
    return any(opens(path, flags) for path in places)


def read_outside():
    places = ["/root", "/home", "/etc/shadow", "/etc/hostname", "/var/log", os.environ['OUTSIDE']]
    return any(opens(path) for path in places)


def terminal():
    import fcntl
    def inject():
        fcntl.ioctl(0, 0x5412, b"x")
    return opens("/dev/tty", os.O_RDWR) or works(inject)


def shared_memory():
    def fill():
        fd = os.open("/dev/shm/fill", os.O_CREAT | os.O_WRONLY, 0o600)
        for _ in range(1024):
            os.write(fd, bytes(1 << 20))
    return works(fill)


def links():
    """What is left in the scratch folder must not lead anywhere when it is removed."""
    folder = os.environ["TMPDIR"]
    os.symlink("/etc", f"{folder}/etc")
    os.symlink(os.environ['OUTSIDE'], f"{folder}/secrets")
    os.mkfifo(f"{folder}/fifo")
    os.makedirs(f"{folder}/" + "d/" * 100)
    os.mkdir(f"{folder}/closed")
    open(f"{folder}/closed/file", "w").close()
    os.chmod(f"{folder}/closed", 0)
    return False


def keep():
    """A file of an earlier game."""
    mark = f"{os.environ['TMPDIR']}/learned"
    broken = os.path.exists(mark)
    open(mark, "w").close()
    return broken


def deaf():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    return False


def kill_everything():
    """Every process this one may signal, but itself."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return any(works(lambda pid=pid: os.kill(pid, signal.SIGTERM)) for pid in others() if pid != 1)


def heap():
    kept = []
    while True:
        kept.append(bytearray(os.urandom(1 << 20) * 16))


def family():
    """Many children, each small."""
    for _ in range(40):
        if os.fork() == 0:
            kept = bytearray(os.urandom(1 << 20) * 8)
            signal.pause()
    time.sleep(60)


def anonymous_file():
    fd = os.memfd_create("fill")
    while True:
        os.write(fd, os.urandom(1 << 20))


def shared_mapping():
    import mmap
    mapped = mmap.mmap(-1, 1 << 30)
    for at in range(0, 1 << 30, 4096):
        mapped[at] = 1


def big_file():
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    fd = os.open(f"{os.environ['TMPDIR']}/big", os.O_CREAT | os.O_WRONLY, 0o600)
    while True:
        os.write(fd, bytes(1 << 20))


def fill_scratch():
    number = 0
    while True:
        fd = os.open(f"{os.environ['TMPDIR']}/{number}", os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(fd, bytes(1 << 20))
        os.close(fd)
        number += 1


def abort():
    os.abort()


def hide_cpu():
    """A grandchild that nobody waits for burns; then it plays on."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    done, burning = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            end = time.process_time() + 1.0
            while time.process_time() < end:
                pass
            os._exit(0)
        os._exit(0)
    os.close(burning)
    os.read(done, 1)
    return False


def fork_and_fail():
    fork_until_refused()
    raise SystemExit(1)


ATTEMPTS = {
    "fork": fork_until_refused, "threads": threads_until_refused, "fork-and-fail": fork_and_fail,
    "inodes": lambda: many_files(os.environ["TMPDIR"]), "shm": shared_memory,
    "sockets": sockets, "reach-referee": reach_referee, "kill-all": kill_everything,
    "read": read_outside, "write": write_outside, "namespaces": nested_namespaces,
    "kernel": kernel, "x32": x32, "sysv": old_numbers, "clock": clock_and_priority,
    "cores": other_cores, "setuid": setuid, "descriptors": descriptors, "open-many": open_many,
    "secrets": secrets, "terminal": terminal, "links": links, "keep": keep, "deaf": deaf,
    "heap": heap, "family": family, "memfd": anonymous_file, "shared-mapping": shared_mapping,
    "big-file": big_file, "fill-scratch": fill_scratch, "abort": abort, "hide-cpu": hide_cpu,
}


def main():
    attempt = ATTEMPTS[sys.argv[1]]
    tried = False
    for line in sys.stdin:
        if '"type":"init"' in line:
            print("ok", flush=True)
        elif '"type":"turn"' in line:
            if not tried:
                tried = True
                outcome = "broken" if attempt() else "held"
                print(outcome, file=sys.stderr, flush=True)
                reply = '{"action":"%s","note":"%s"}' % (line.split('"legal":["')[1].split('"')[0], outcome)
                print(reply, flush=True)
            else:
                print(line.split('"legal":["')[1].split('"')[0], flush=True)
        elif '"type":"quit"' in line:
            break


main()
