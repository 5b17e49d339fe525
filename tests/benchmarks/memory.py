"""Peak memory of a process, for code that benchmarks run in one of its own."""

PEAK = """
def peak_mib():  # of this process alone: ru_maxrss starts from what the parent had
    import re, resource
    from pathlib import Path
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text()) if status.exists() else None
    return (int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024
"""
