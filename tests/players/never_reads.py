# Fills its own stdin instead of reading it, then greets: no turn fits into the pipe any more.
import os
import select
import time

select.select([0], [], [])
pipe = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
try:
    while True:
        os.write(pipe, b"\n" * 4096)
except BlockingIOError:
    print("ok", flush=True)
time.sleep(60)
