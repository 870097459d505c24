"""Stands for the library: what the host seeds of it, and no more."""
