# Attacks to break out, exhaust or deceive: `hostile.py WHAT`. It greets, attacks at its first turn,
# and reports the outcome in a note, `held` or `broken`. Then it plays the first legal action each
# turn, so that a game that ends normally shows that nothing else was disturbed.
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
# The turn to be answered.
TURN = ""
REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EROFS, errno.ENOENT, errno.ESRCH,
           errno.EAFNOSUPPORT, errno.ENETUNREACH, errno.EAGAIN, errno.ENOSPC, errno.EMFILE,
           errno.ENODEV, errno.ENXIO, errno.EINVAL, errno.EFBIG, errno.ENOMEM, errno.ECONNREFUSED,
           errno.EISCONN)


def call(number, *args):
    """A bare system call; 0 or more when it worked."""
    ctypes.set_errno(0)
    done = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(arg) for arg in args])
    if done >= 0:
        return True
    if ctypes.get_errno() not in REFUSED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return False


def error_of(number, *args):
    """The error of a bare system call; 0 when it worked."""
    ctypes.set_errno(0)
    done = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(arg) for arg in args])
    return 0 if done >= 0 else ctypes.get_errno()


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
        while children < 500:
            if os.fork() == 0:
                signal.pause()
                os._exit(0)
            children += 1
    except OSError:
        pass
    return children >= 500


GAMES = 0


def fork_once():
    """Reaches its limit of processes only in its first game, and crashes in its second."""
    if GAMES > 1:
        raise SystemExit(1)
    fork_until_refused()
    return False


def threads_until_refused():
    count = 0
    try:
        while count < 500:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    return count >= 500


def many_files(folder):
    def fill():
        for number in range(20_000):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY, 0o600))
        # If nothing is refused, the supervisor must poll first.
        time.sleep(60)
    return works(fill)


def sockets():
    kinds = [(socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET6, socket.SOCK_DGRAM),
             (socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_NETLINK, socket.SOCK_RAW),
             (socket.AF_VSOCK, socket.SOCK_STREAM)]
    return any(works(lambda kind=kind: socket.socket(*kind).close()) for kind in kinds)


def pair(family, kind):
    """A bare `socketpair`: Python would drop the upper halves of the arguments."""
    ends = (ctypes.c_int * 2)()
    return call(53, family, kind, 0, ctypes.addressof(ends))


def reaching_pairs():
    """Pairs whose ends send to any path of the machine: datagrams, under all their names."""
    high = 1 << 32
    kinds = [socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK,
             socket.SOCK_DGRAM | socket.SOCK_CLOEXEC, socket.SOCK_DGRAM | high, socket.SOCK_RAW | high,
             0, 4, 10]
    if any(pair(family, kind) for kind in kinds for family in (socket.AF_UNIX, socket.AF_UNIX | high)):
        return True
    one, other = socket.socketpair()
    path = "/run/systemd/journal/dev-log"
    attempts = [lambda: one.sendto(b"x", path), lambda: one.connect(path), lambda: other.bind("\0mark"),
                lambda: one.bind(os.environ["TMPDIR"] + "/socket")]
    return any(works(attempt) for attempt in attempts)


def core_dumps():
    """Starts the machine's handler of crashes: only the limit 1 prevents that, which must stay."""
    nothing = (ctypes.c_ulong * 2)()
    none = ctypes.addressof(nothing)
    core, high = resource.RLIMIT_CORE, 1 << 32
    return (call(160, core, none) or call(160, core | high, none)
            or call(302, 0, core, none, 0) or call(302, high, core | high, none, 0)
            or resource.getrlimit(core) != (1, 1))


def asynchronous():
    """Contexts for asynchronous I/O, of which the machine has a fixed number."""
    context = ctypes.c_ulong(0)
    return call(206, 65536, ctypes.addressof(context))


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
    """The supervisor, or the first process of the sandbox."""
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
    def make(path):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        os.unlink(path)
    def change(path):
        os.close(os.open(path, os.O_WRONLY))
    return any(works(lambda path=path: (change if "/proc/" in path else make)(path))
               for path in places)


def read_outside():
    places = ["/root", "/home", "/etc/shadow", "/etc/hostname", "/var/log", os.environ['OUTSIDE']]
    return any(opens(path) for path in places)


def read_opponent():
    """The program of the others, in the same folder."""
    return opens("naps.py") or opens("./counts_games.sh") is False


def modules_beside():
    """Not an attack: the folder must be listed, or Python finds no module in it."""
    import fine_module
    return "naps.py" not in listing(".") or not fine_module.IS_HERE


def import_opponent():
    """The program of another player, as a module beside this one."""
    import naps


def spin():
    """Fifty children that compute all the time, even off turn."""
    for _ in range(50):
        if os.fork() == 0:
            while True:
                pass
    return False


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
    """Leaves links in the scratch folder that must not be followed when it is removed."""
    folder = os.environ["TMPDIR"]
    os.symlink("/etc", f"{folder}/etc")
    os.symlink(os.environ['OUTSIDE'], f"{folder}/secrets")
    os.mkfifo(f"{folder}/fifo")
    os.makedirs(f"{folder}/" + "d/" * 100)
    os.mkdir(f"{folder}/closed")
    open(f"{folder}/closed/file", "w").close()
    works(lambda: os.chmod(f"{folder}/closed", 0))
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
    # Once the kernel has killed one of them.
    os.wait()
    sys.exit(1)


def unreadable():
    """Memory of a program that may be executed but not read: it shows less of itself."""
    program = f"{os.environ['TMPDIR']}/python"
    with open(os.path.realpath(sys.executable), "rb") as original:
        descriptor = os.open(program, os.O_WRONLY | os.O_CREAT, 0o111)
        with open(descriptor, "wb") as copy:
            copy.write(original.read())
    code = "import os, signal; kept = os.urandom(1 << 20) * 128; signal.pause()"
    os.execve(program, ["python3", "-c", code], os.environ)


def anonymous_file():
    fd = os.memfd_create("fill")
    for _ in range(512):
        os.write(fd, bytes(1 << 20))
    time.sleep(60)


def shared_mapping():
    import mmap
    mapped = mmap.mmap(-1, 1 << 30)
    for at in range(0, 1 << 30, 4096):
        mapped[at] = 1
    time.sleep(60)


def memory_in_flight():
    """Files in memory on their way through a socket: no process has them open."""
    one, other = socket.socketpair()
    def fill():
        for _ in range(32):
            fd = os.memfd_create("fill")
            for _ in range(8):
                os.write(fd, bytes(1 << 20))
            socket.send_fds(one, [b"x"], [fd])
            os.close(fd)
    return works(fill)


def memory_unmapped():
    """Shared memory whose pages no process has mapped any more."""
    import mmap
    kept = []
    def fill(descriptor):
        for _ in range(16):
            kept.append(mmap.mmap(descriptor, 16 << 20))
            for at in range(0, 16 << 20, 4096):
                kept[-1][at] = 1
            kept[-1].madvise(mmap.MADV_DONTNEED)
    return works(lambda: fill(-1)) or works(lambda: fill(os.open("/dev/zero", os.O_RDWR)))


def full_sockets():
    """Children that fill the buffers of sockets and are hardly larger for it."""
    for _ in range(8):
        if os.fork() == 0:
            pairs = [socket.socketpair() for _ in range(100)]
            for end in [end for both in pairs for end in both]:
                end.setblocking(False)
                works(lambda: [end.send(bytes(1 << 14)) for _ in range(64)])
            signal.pause()
    time.sleep(60)


def page_tables():
    """Tables of pages that are all the same page of zeros."""
    LIBC.mmap.restype = ctypes.c_void_p
    size = 128 << 30
    # Readable, private, without a file, without a reservation.
    start = LIBC.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, ctypes.c_long(0))
    for at in range(start, start + size, 2 << 20):
        ctypes.c_ubyte.from_address(at).value
    time.sleep(60)


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


def nameless():
    """Open files without a name."""
    files = []
    for number in range(16):
        path = f"{os.environ['TMPDIR']}/{number}"
        files.append(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        os.unlink(path)
        os.write(files[-1], bytes(1 << 20))
    time.sleep(60)


def many_folders():
    """More folders than can be open at once, each with little in it."""
    for number in range(1500):
        folder = f"{os.environ['TMPDIR']}/{number}"
        os.mkdir(folder)
        with open(f"{folder}/file", "wb") as file:
            file.write(bytes(16 << 10))
    time.sleep(60)


def burst():
    """Writes twice the limit, and deletes it before the next poll."""
    paths = [f"{os.environ['TMPDIR']}/{number}" for number in range(16)]
    def fill():
        for path in paths:
            with open(path, "wb", buffering=0) as file:
                if file.write(bytes(1 << 20)) < 1 << 20:
                    raise OSError(errno.ENOSPC, "full")
    broken = works(fill)
    for path in filter(os.path.exists, paths):
        os.unlink(path)
    return broken


def stay_behind():
    """Folders that are hard to remove: names that the referee might use, and rights taken away."""
    folder = os.environ["TMPDIR"]
    os.makedirs(f"{folder}/.deep-0/full")
    open(f"{folder}/.deep-1", "w").close()
    deep = folder + "/d" * 40
    os.makedirs(deep)
    open(f"{deep}/file", "w").close()
    cache = f"{folder}/module@v1/cache"
    os.makedirs(cache)
    open(f"{cache}/file", "w").close()
    for path in (deep, cache, f"{folder}/module@v1"):
        works(lambda path=path: os.chmod(path, 0o555))
    # In a sandbox, the folder does not belong to it.
    works(lambda: os.chmod(folder, 0))
    return False


def cpu_of_others():
    """The CPU clock of a process that is not this one's own: of its supervisor, where it can name it."""
    if os.getppid() == 1:
        return False
    clock = ~os.getppid() << 3 | 2
    return works(lambda: time.clock_gettime(clock)) or works(lambda: time.clock_getres(clock))


def threads_of_others():
    return os.getppid() > 1 and works(lambda: os.stat(f"/proc/{os.getppid()}/task"))


def results():
    """Reads the size and the modification time of the log."""
    return works(lambda: os.stat(f"{os.environ['TOLD']}/results/cup/games.jsonl"))


def metadata():
    """Mode, owner, times and attributes of files: its own program, the log, what it must not see."""
    own = sys.argv[0]
    places = [own, os.environ["OUTSIDE"], os.environ["TOLD"] + "/results/cup/games.jsonl",
              os.environ["TOLD"]]
    def by_descriptor(change):
        descriptor = os.open(own, os.O_RDONLY)
        try:
            change(descriptor)
        finally:
            os.close(descriptor)
    changes = [lambda path: os.chmod(path, 0o777), lambda path: os.utime(path, (1, 1)),
               lambda path: os.chown(path, os.getuid(), os.getgid()),
               lambda path: os.setxattr(path, "user.hostile", b"1")]
    devices = ["/dev/" + name for name in ("null", "zero", "full", "random", "urandom")]
    truncates = [own, os.environ["TOLD"] + "/results/cup/games.jsonl"]
    return (any(works(lambda path=path, change=change: change(path))
                for path in places for change in changes)
            or any(works(lambda path=path: os.utime(path)) for path in devices)
            or any(works(lambda path=path: os.truncate(path, 0)) for path in truncates)
            or any(works(lambda path=path: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)))
                   for path in truncates)
            or any(works(lambda change=change: by_descriptor(change)) for change in changes)
            or call(452, -100, own_path(), 0o777, 0))


def own_path():
    """The address of the name of this program, for bare calls."""
    global NAME_BYTES
    NAME_BYTES = ctypes.create_string_buffer(os.fsencode(sys.argv[0]))
    return ctypes.addressof(NAME_BYTES)


def requests():
    """Requests that file systems answer to a descriptor for reading: some change a file or what the
    kernel remembers of it. Those of terminals, sockets and copies must still reach the kernel."""
    FIGETBSZ, FIONREAD, FICLONE = 2, 0x541b, 0x40049409
    file_systems = [FIGETBSZ,
                    0x80086601,  # FS_IOC_GETFLAGS
                    0x801c581f,  # FS_IOC_FSGETXATTR
                    0xc020660b,  # FS_IOC_FIEMAP
                    0xc0506617,  # FS_IOC_ADD_ENCRYPTION_KEY
                    0x800c6613,  # FS_IOC_SET_ENCRYPTION_POLICY
                    0x660c,      # EXT4_IOC_ALLOC_DA_BLKS
                    0x6612,      # EXT4_IOC_PRECACHE_EXTENTS
                    0xc0189436,  # FIDEDUPERANGE
                    0x80047210]  # FAT_IOCTL_GET_ATTRIBUTES
    files = [os.open(path, os.O_RDONLY) for path in (sys.argv[0], ".", os.environ["TMPDIR"])]
    buffer = ctypes.addressof(ctypes.create_string_buffer(256))
    answered = any(error_of(16, file, request | high, buffer) != errno.ENOTTY
                   for file in files for request in file_systems for high in (0, 1 << 32))
    needed = error_of(16, 0, FIONREAD, buffer) != 0 or error_of(16, files[0], FICLONE, 0) == errno.ENOTTY
    return answered or needed


def marks():
    """What a file remembers of who had it open for reading, and a later game reads."""
    F_SET_RW_HINT, F_SET_FILE_RW_HINT, F_SETDELEG = 1036, 1038, 1040
    with open(f"{os.environ['TMPDIR']}/mark", "w"):
        pass
    files = [os.open(path, os.O_RDONLY) for path in (sys.argv[0], f"{os.environ['TMPDIR']}/mark")]
    hint = ctypes.c_ulong(3)
    return any(error_of(72, file, command, ctypes.addressof(hint)) != errno.EPERM
               for file in files for command in (F_SET_RW_HINT, F_SET_FILE_RW_HINT, F_SETDELEG))


def core_options():
    """Options of `prctl` that change how a core treats its other thread."""
    PR_SCHED_CORE, PR_SET_SPECULATION_CTRL = 62, 53
    return (error_of(157, PR_SCHED_CORE, 1, 0, 0, 0) != errno.EPERM
            or any(error_of(157, PR_SET_SPECULATION_CTRL, which, 4, 0, 0) != errno.EPERM
                   for which in range(3)))


def timers():
    """Timers that would fire in the opponent's turn: hundreds per process."""
    made = files = 0
    identity = ctypes.c_int()
    event = ctypes.create_string_buffer(struct.pack("qii", 0, signal.SIGUSR1, 0) + bytes(48))
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    while made < 1000 and call(222, 1, ctypes.addressof(event), ctypes.addressof(identity)):
        made += 1
    while files < 200 and call(283, 1, 0):
        files += 1
    return files > 64 or made >= 100


def watch():
    """Notices of what others do to files that all share, and leases that keep them waiting."""
    import fcntl
    def notices():
        fcntl.fcntl(os.open("/usr", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    def lease():
        fcntl.fcntl(os.open("/dev/null", os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)
    return call(294, 0) or call(253) or call(300, 0, 0) or works(notices) or works(lease)


def pool():
    """Not an attack: what Python has for several processes needs `/dev/shm`."""
    # A player beside this one is called like a module of the library.
    sys.path.pop(0)
    import multiprocessing
    with multiprocessing.Pool(2) as workers:
        return workers.map(abs, [-1, -2]) != [1, 2]


def kill_supervisor():
    """Its supervisor, with a daemon to be left behind."""
    leave_daemon()
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def stop_supervisor():
    leave_daemon()
    os.kill(os.getppid(), signal.SIGSTOP)
    return False


def fork_and_wait():
    fork_until_refused()
    time.sleep(60)


def abort():
    os.abort()


def hide_cpu():
    """A grandchild that nobody waits for uses CPU time; then it plays on."""
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


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return False


def fork_and_fail():
    fork_until_refused()
    raise SystemExit(1)


def legal():
    return TURN.split('"legal":["')[1].split('"')[0]


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def flood():
    while True:
        os.write(1, b"y" * 4096)


def chatter():
    for _ in range(3000):
        os.write(2, b"x" * 1000)
    return False


def never_read():
    """Fills its own stdin, so that no further turn fits in."""
    pipe = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True:
            os.write(pipe, b"\n" * 4096)
    except BlockingIOError:
        say(legal() + "\n")
    time.sleep(600)


def close_output():
    os.close(1)
    time.sleep(600)


def leave_daemon():
    """A process forked twice, in a session of its own, deaf to signals."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() > 0:
            os._exit(0)
        deaf()
        time.sleep(600)
    os.wait()
    return False


def odd_name():
    """A daemon whose name is not text."""
    set_name = 15  # PR_SET_NAME; children inherit it
    LIBC.prctl(set_name, b"\xff) R 1 (")
    return leave_daemon()


def daemon_holds_output():
    leave_daemon()
    os._exit(3)


def stop_itself():
    os.kill(os.getpid(), signal.SIGSTOP)


def recurse():
    sys.setrecursionlimit(1 << 30)
    kind = ctypes.CFUNCTYPE(None)
    deeper = kind(lambda: deeper())
    deeper()


def two_lines():
    say(f"{legal()}\nand more\n")
    time.sleep(600)


def drip():
    while True:
        say("3")
        time.sleep(0.1)


def odd_bytes():
    os.write(1, b"\xff\x00\x1b[2J\n")
    time.sleep(600)


def leave_after_its_move():
    say(legal() + "\n")
    os._exit(0)


def no_newline():
    say("3,3")
    os._exit(4)


def wrong_remarks():
    identity = TURN.split('"id":')[1].split(",")[0].strip("}\n")
    say('{"id":%s,"action":"%s","note":[1],"eval":"good"}\n' % (identity, legal()))


def ponder():
    """Computes on the turns of its opponent, and reports the outcome at each turn."""
    if not PONDERER.is_alive():
        PONDERER.start()
    return STOLEN[0] > 0.3


ON_TURN = threading.Event()
# Seconds of CPU time used off turn.
STOLEN = [0.0]


def burn_off_turn():
    while True:
        began = time.thread_time()
        if ON_TURN.is_set():
            time.sleep(0.001)
            continue
        sum(range(10000))
        STOLEN[0] += time.thread_time() - began


def populate():
    """Leaves a child in a call that neither a signal nor a control group stops for many seconds: it
    fills 32 GiB with the same page."""
    began, begins = os.pipe()
    if os.fork() == 0:
        threading.Thread(target=read_zeros, args=[32 << 30]).start()
        # Only in that call it uses so much CPU time.
        while time.process_time() < 0.05:
            time.sleep(0.01)
        os.write(begins, b".")
        time.sleep(60)
    os.read(began, 1)
    return False


def orphan():
    """Leaves a process whose group loses its parent on the opponent's turn: the kernel then wakes it.
    The parent dies slowly, because it has many pages to give back."""
    global ORPHANS
    if FLAGS is None:
        share_flags()
    FLAGS[0] = 1
    stolen = stolen_time()
    ORPHANS += 1
    if ORPHANS > 3:
        return stolen > 0.6
    child, parent = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.setpgid(0, 0)
        if os.fork() == 0:
            os.setpgid(0, 0)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.write(child[1], b".")
            steal(ORPHANS, 0.5)
            os._exit(0)
        os.read(child[0], 1)
        read_zeros(1 << 30)
        os.write(parent[1], b".")
        os._exit(0)
    os.read(parent[0], 1)
    return stolen > 0.6


ORPHANS = 0


def read_zeros(size):
    """Maps the page of zeros many times, each in an entry of its own."""
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    pages = LIBC.mmap(None, size, 1, 0x4022, -1, 0)
    MADV_NOHUGEPAGE, MADV_POPULATE_READ = 15, 22
    call(28, pages, size, MADV_NOHUGEPAGE)
    call(28, pages, size, MADV_POPULATE_READ)


def wake():
    """Computes on the turns of its opponent in processes that wake each other when they are
    stopped: by timers, by signals, by the ends of others, or because a newer one was not seen."""
    if FLAGS is None:
        start_wakers()
    FLAGS[0] = 1
    # What they use before this one learns that it is on turn again counts, too.
    return stolen_time() > 0.6


# Shared by the processes: whether it is on turn, and the seconds that each used off turn.
FLAGS = None


def share_flags():
    global FLAGS
    import mmap
    with open(f"{os.environ['TMPDIR']}/flags", "w+b") as file:
        file.truncate(4096)
        FLAGS = mmap.mmap(file.fileno(), 4096)


def stolen_time():
    stolen = sum(struct.unpack_from("16d", FLAGS, 8))
    print(f"stolen: {stolen:.3f} s", file=sys.stderr)
    return stolen


def start_wakers():
    share_flags()
    wakers = [wakes_by_timer, wakes_by_timer_of_thread, wakes_by_signals, wakes_its_group,
              wakes_at_ends, renews_itself, renews_itself]
    for slot, waker in enumerate(wakers):
        if os.fork() == 0:
            os.nice(10)
            try:
                waker(slot)
            finally:
                os._exit(0)


def steal(slot, seconds):
    """Computes for a while, and notes what of it was off turn."""
    began = last = time.thread_time()
    while last - began < seconds:
        sum(range(500))
        now = time.thread_time()
        if not FLAGS[0]:
            at = 8 + 8 * slot
            struct.pack_into("d", FLAGS, at, struct.unpack_from("d", FLAGS, at)[0] + now - last)
        last = now
    return True


def timers_that_wake(event):
    """Timers that fire one after another: a stop only disarms one whose signal is pending."""
    # The kernel disarms timers whose signal nobody handles.
    signal.signal(signal.SIGCONT, lambda *_: None)
    buffer = ctypes.create_string_buffer(event + bytes(64 - len(event)))
    for number in range(1, 21):
        identity = ctypes.c_int()
        every = ctypes.create_string_buffer(struct.pack("qqqq", 0, 200_000_000, 0, number * 10_000_000))
        if call(222, 1, ctypes.addressof(buffer), ctypes.addressof(identity)):
            call(223, identity.value, 0, ctypes.addressof(every), 0)


def wakes_by_timer(slot):
    timers_that_wake(struct.pack("qii", 0, signal.SIGCONT, 0))
    while steal(slot, 1):
        pass


def wakes_by_timer_of_thread(slot):
    works(os.setsid)
    timers_that_wake(struct.pack("qiii", 0, signal.SIGCONT, 4, threading.get_native_id()))
    while steal(slot, 1):
        pass


def wakes_by_signals(slot):
    """Three in sessions of their own wake each other, by every call that sends."""
    own = os.getpid()
    family = [own] + [child for child in (fork_here(), fork_here()) if child]
    works(os.setsid)
    while steal(slot, 0.0005):
        for other in family + [os.getppid()]:
            if other > 2:
                works(lambda: os.kill(other, signal.SIGCONT))
                call(200, other, signal.SIGCONT)
                call(234, other, other, signal.SIGCONT)


def fork_here():
    return os.fork() if os.getpid() != 1 else 0


def wakes_its_group(slot):
    while steal(slot, 0.0005):
        works(lambda: os.kill(0, signal.SIGCONT))


def wakes_at_ends(slot):
    """Children whose end sends their parent the signal."""
    LIBC.prctl(1, signal.SIGCONT)
    while steal(slot, 0.001):
        child = LIBC.syscall(ctypes.c_long(56), ctypes.c_long(signal.SIGCONT), *[ctypes.c_long(0)] * 4)
        if child == 0:
            os._exit(0)
        if child > 0:
            os.waitpid(child, 0x40000000)


def renews_itself(slot):
    """A chain of processes, each in a session of its own and gone before a search finds it."""
    while True:
        steal(slot, 0.0005)
        if os.fork():
            os._exit(0)
        works(os.setsid)


PONDERER = threading.Thread(target=burn_off_turn, daemon=True)


def covert():
    """A mark that another player left, in places that both might see."""
    places = [f"{place}/covert" for place in [os.environ["TMPDIR"], "/dev/shm", "/tmp", "/var/tmp", "."]]
    broken = any(os.path.exists(place) for place in places)
    for place in places:
        opens(place, os.O_WRONLY | os.O_CREAT)
    return broken


def proxied(text):
    """The answer of the proxy to these bytes."""
    answer = b""
    with socket.create_connection(("127.0.0.1", 3128), 15) as client:
        try:
            client.sendall(text)
            while chunk := client.recv(4096):
                answer += chunk
        except ConnectionError:
            pass
    return answer


def tunnel(target):
    """Whether the proxy connects to this host."""
    return proxied(f"CONNECT {target} HTTP/1.1\r\n\r\nx".encode()).startswith(b"HTTP/1.1 200")


def crowd():
    """Ten thousand connections, as many as possible at once."""
    clients = []
    for _ in range(10_000):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(("127.0.0.1", 3128))
        clients.append(client)
        if len(clients) > 200:
            clients.pop(0).close()
    for client in clients:
        client.close()


def network():
    """Everything but the one host that this player may reach, which answers to the last."""
    listed, unlisted = os.environ["LISTED"], os.environ["UNLISTED"]
    addresses = [("127.0.0.1", int(listed)), ("127.0.0.1", int(unlisted)), ("1.1.1.1", 443),
                 ("169.254.169.254", 80), ("0.0.0.0", int(unlisted))]
    kinds = [(socket.AF_INET, socket.SOCK_DGRAM, 0), (socket.AF_INET, socket.SOCK_RAW, 1),
             (socket.AF_INET, socket.SOCK_STREAM, 262), (socket.AF_INET, socket.SOCK_STREAM, 132),
             (socket.AF_INET6, socket.SOCK_STREAM, 0), (socket.AF_INET6, socket.SOCK_DGRAM, 0),
             (socket.AF_UNIX, socket.SOCK_STREAM, 0), (socket.AF_NETLINK, socket.SOCK_RAW, 0),
             (socket.AF_PACKET, socket.SOCK_RAW, 0), (socket.AF_VSOCK, socket.SOCK_STREAM, 0)]
    odd = ["localhost:%s@", "localhost:%s ", "LOCALHOST:%s", "localhost.:%s", "127.0.0.1:%s", "[::1]:%s",
           "[::ffff:127.0.0.1]:%s", "0:%s", "2130706433:%s", "localhost:0%s", "localhost:%s#",
           "x@localhost:%s", "localhost:%s/", "http://localhost:%s/", "localhost:%s\0"]
    targets = [f"localhost:{unlisted}", "example.com:443", f"localhost:{listed}@localhost:{unlisted}",
               f"localhost:{unlisted}\r\nHost: localhost:{listed}", f"localhost:{listed}:{unlisted}",
               f"localhost:{unlisted} HTTP/1.1\r\n\r\nCONNECT localhost:{listed}"]
    targets += [form % port for form in odd for port in (listed, unlisted)]
    server = socket.socket()
    if (any(works(lambda to=to: socket.create_connection(to, 15).close()) for to in addresses)
            or any(works(lambda kind=kind: socket.socket(*kind).close()) for kind in kinds)
            or works(lambda: server.bind(("127.0.0.1", 0))) or works(server.listen)
            or any(tunnel(target) for target in targets)):
        return True
    mixed = (f"GET http://localhost:{listed}/ HTTP/1.1\r\nHost: localhost:{unlisted}\r\n\r\n"
             f"GET http://localhost:{unlisted}/ HTTP/1.1\r\n\r\n")
    if b"unlisted" in proxied(mixed.encode()) or b"200" in proxied(b"x" * 1_000_000):
        return True
    crowd()
    answers = [proxied(f"GET http://localhost:{listed}/ HTTP/1.1\r\n\r\n".encode()),
               proxied(f"CONNECT localhost:{listed} HTTP/1.1\r\n\r\nx".encode())]
    return not all(answer.endswith(b"\r\n\r\nlisted") for answer in answers)


ATTEMPTS = {
    "fork": fork_until_refused, "threads": threads_until_refused, "fork-and-fail": fork_and_fail,
    "inodes": lambda: many_files(os.environ["TMPDIR"]), "shm": shared_memory,
    "sockets": sockets, "reaching-pairs": reaching_pairs, "core-dumps": core_dumps,
    "asynchronous": asynchronous, "reach-referee": reach_referee, "kill-all": kill_everything,
    "read": read_outside, "write": write_outside, "namespaces": nested_namespaces,
    "kernel": kernel, "x32": x32, "sysv": old_numbers, "clock": clock_and_priority,
    "cores": other_cores, "setuid": setuid, "descriptors": descriptors, "open-many": open_many,
    "secrets": secrets, "terminal": terminal, "links": links, "keep": keep, "deaf": deaf,
    "heap": heap, "family": family, "unreadable": unreadable, "memfd": anonymous_file, "memory-in-flight": memory_in_flight, "memory-unmapped": memory_unmapped,
    "full-sockets": full_sockets, "page-tables": page_tables, "shared-mapping": shared_mapping,
    "big-file": big_file, "fill-scratch": fill_scratch, "abort": abort, "hide-cpu": hide_cpu,
    "flood": flood, "chatter": chatter, "never-read": never_read, "close-output": close_output,
    "daemon": leave_daemon, "odd-name": odd_name,
    "daemon-holds-output": daemon_holds_output, "stop-itself": stop_itself,
    "recurse": recurse, "two-lines": two_lines, "drip": drip, "odd-bytes": odd_bytes,
    "leave-after-its-move": leave_after_its_move, "no-newline": no_newline,
    "wrong-remarks": wrong_remarks, "ponder": ponder, "wake": wake, "populate": populate, "orphan": orphan, "covert": covert,
    "nameless": nameless, "many-folders": many_folders, "burst": burst, "stay-behind": stay_behind,
    "cpu-of-others": cpu_of_others, "threads-of-others": threads_of_others, "results": results, "network": network,
    "watch": watch, "metadata": metadata, "requests": requests, "marks": marks, "core-options": core_options, "timers": timers, "pool": pool, "kill-supervisor": kill_supervisor,
    "stop-supervisor": stop_supervisor,
    "import-opponent": import_opponent, "spin": spin, "fork-and-wait": fork_and_wait, "never-leave": lambda: False,
    "modules-beside": modules_beside, "fork-once": fork_once,
    "name": lambda: False, "read-opponent": read_opponent, "burn": lambda: burn(60), "burn-a-little": lambda: burn(0.3),
    "output": lambda: False,
}
# Attacks that go on at each turn.
EACH_TURN = ["ponder", "wake", "orphan"]
# Attacks that answer the turn themselves.
ANSWERS = ["wrong-remarks"]
# That of another player, a command for a terminal, an element of a page, and text run backwards.
NAME = "one\\u001b[2J<b>hostile</b>\\u202e"


def main():
    global TURN, GAMES
    what = sys.argv[1]
    tried = False
    for line in sys.stdin:
        ON_TURN.set()
        if '"type":"init"' in line:
            GAMES += 1
            tried = tried and what != "fork-once"
            say('{"id":0,"name":"%s"}\n' % NAME if what == "name" else "ok\n")
        elif '"type":"turn"' in line:
            TURN = line
            if what == "burn-a-little":
                burn(0.3)
            if tried and what not in EACH_TURN:
                say(legal() + (" " * 60_000 if what == "output" else "") + "\n")
            else:
                tried = True
                outcome = "broken" if ATTEMPTS[what]() else "held"
                print(outcome, file=sys.stderr, flush=True)
                if what not in ANSWERS:
                    say('{"action":"%s","note":"%s"}\n' % (legal(), outcome))
        elif '"type":"quit"' in line:
            if what == "never-leave":
                time.sleep(60)
            break
        ON_TURN.clear()
        if FLAGS is not None:
            FLAGS[0] = 0


main()
