# Leaves a daemon behind: forked twice, in a session of its own, deaf to signals. Then plays; with
# an argument the daemon holds its stdout, and it crashes at its first turn.
import os
import signal
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() > 0:
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if len(sys.argv) == 1:
        os.closerange(0, 3)
    time.sleep(60)
    os._exit(0)
os.wait()
if len(sys.argv) == 1:
    os.execvp("sh", ["sh", "bare.sh"])
os.execvp("sh", ["sh", "does.sh", "exit 3"])
