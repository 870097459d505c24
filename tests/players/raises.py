# Ends with a traceback at its first turn.
import sys

sys.stdin.readline()
print("ok", flush=True)
sys.stdin.readline()
raise ValueError("no idea")
