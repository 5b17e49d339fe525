"""What kind of disk a folder lies on: several machines may share it, and their locks may hold there or not."""

import re
from pathlib import Path
from typing import NamedTuple

# Other systems than Linux have none: there every disk is taken for one of the machine.
MOUNTS = Path("/proc/self/mounts")
WITH_LOCKS = {"nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "gpfs", "ocfs2", "gfs2", "9p"}
WITHOUT = {"smbfs", "afs", "beegfs", "glusterfs", "orangefs", "pvfs2", "fuse.sshfs", "fuse.s3fs", "fuse.rclone",
           "fuse.glusterfs", "fuse.gcsfuse", "davfs", "fuse.davfs2"}  # fmt: skip
OWN_LOCKS = {"nolock", "local_lock=all", "local_lock=posix", "nobrl", "localflock", "noflock"}


class Disk(NamedTuple):
    """A disk as it is mounted: its `kind`, whether machines share it, and whether a lock of one holds for all."""

    kind: str
    shared: bool
    locks: bool


def disk_of(folder: Path) -> Disk:
    """Find the disk of a folder, which need not exist yet."""
    folder, found = folder.resolve(), Disk("", False, True)
    longest = -1
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return found
    for fields in (line.split(" ") for line in lines):
        if len(fields) < 4:
            continue
        place = Path(re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[1]))
        if len(place.parts) >= longest and folder.is_relative_to(place):
            kind, options = fields[2], set(fields[3].split(","))
            shared = kind in WITH_LOCKS | WITHOUT
            found = Disk(kind, shared, kind not in WITHOUT and not options & OWN_LOCKS)
            longest = len(place.parts)
    return found
