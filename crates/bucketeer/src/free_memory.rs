//! Memory that the process can use without swapping and without being killed: the free memory of
//! the machine, or less if the process is in a control group (a container) or under a resource
//! limit.

use std::fs;
use std::path::{Path, PathBuf};

/// Available bytes; 8 GiB if the system does not tell.
pub(crate) fn read() -> u64 {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let groups = control_groups(&text("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    let limits = [machine(&text("/proc/meminfo")), groups, resource_limits()];
    limits.into_iter().flatten().min().unwrap_or(8 << 30)
}

fn machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}

/// Memory that the control groups of a process leave: the minimum over its own group and its
/// ancestors, in version 2 (`0::/path`) or 1 (`5:memory:/path`). Inside a container the path may be
/// the one seen from outside; then the root of the hierarchy is the container's own group.
fn control_groups(own: &str, root: &Path) -> Option<u64> {
    let groups = own.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let path = path.trim_start_matches('/');
        match controllers {
            "" => Some((root.to_owned(), path, V2)),
            list if list.split(',').any(|name| name == "memory") => {
                Some((root.join("memory"), path, V1))
            }
            _ => None,
        }
    });
    groups.filter_map(|(root, path, files)| left_in(&root, path, &files)).min()
}

/// Names of the files of a group: the limits, the usage, and the line of its statistics that counts
/// reclaimable page cache.
struct Files {
    limits: &'static [&'static str],
    used: &'static str,
    cached: &'static str,
}

const V1: Files = Files {
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    cached: "total_inactive_file ",
};
const V2: Files = Files {
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    cached: "inactive_file ",
};

fn left_in(root: &Path, path: &str, files: &Files) -> Option<u64> {
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    for part in Path::new(path) {
        folders.push(folders[folders.len() - 1].join(part));
    }
    let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let left = |folder: &PathBuf| {
        let limits = files.limits.iter().filter_map(|name| number(folder.join(name)));
        let used = number(folder.join(files.used)).unwrap_or(0);
        let statistics = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cached = statistics.lines().find_map(|line| line.strip_prefix(files.cached));
        let cached = cached.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0);
        Some(limits.min()?.saturating_sub(used.saturating_sub(cached)))
    };
    folders.iter().filter_map(left).min()
}

/// Memory that `ulimit -v` and `ulimit -d` leave.
#[cfg(target_os = "linux")]
fn resource_limits() -> Option<u64> {
    // In pages: the address space is first, data and stack sixth.
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages = |place: usize| statm.split(' ').nth(place)?.trim().parse::<u64>().ok();
    let limit = |resource| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the call writes one structure.
        let known = unsafe { libc::getrlimit(resource, &mut limit) } == 0;
        #[allow(clippy::useless_conversion, reason = "it has 32 bits on a 32-bit system")]
        (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(u64::from(limit.rlim_cur))
    };
    // SAFETY: the call reads a system constant.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let left = |(resource, place)| Some(limit(resource)?.saturating_sub(pages(place)? * page));
    [(libc::RLIMIT_AS, 0), (libc::RLIMIT_DATA, 5)].into_iter().filter_map(left).min()
}

#[cfg(not(target_os = "linux"))]
fn resource_limits() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_of_the_machine() {
        let text = "MemTotal:       1000 kB\nMemAvailable:    600 kB\n";
        assert_eq!(machine(text), Some(600 << 10));
        assert_eq!(machine("MemTotal: 1000 kB\n"), None);
    }

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
    }

    /// A process in a container of 300 MB used to plan for the whole machine and was killed.
    #[test]
    fn memory_of_containers() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        assert_eq!(control_groups("0::/\n", root), None);
        write(
            root,
            &[
                ("memory.max", "max\n"),
                ("memory.current", "999\n"),
                ("a/memory.max", "300000000\n"),
                ("a/memory.current", "120000000\n"),
                ("a/memory.stat", "anon 5\ninactive_file 20000000\nactive_file 1\n"),
                ("a/b/memory.max", "max\n"),
                ("a/b/memory.high", "250000000\n"),
                ("a/b/memory.current", "100000000\n"),
            ],
        );
        assert_eq!(control_groups("0::/\n", root), None);
        assert_eq!(control_groups("0::/a\n", root), Some(200_000_000));
        assert_eq!(control_groups("0::/a/b\n", root), Some(150_000_000));
        // The group is not where the container sees it: its own is the root.
        write(root, &[("memory.max", "5000\n"), ("memory.current", "1000\n")]);
        assert_eq!(control_groups("0::/outside/c\n", root), Some(4000));
        // More used than allowed.
        write(root, &[("memory.max", "500\n")]);
        assert_eq!(control_groups("0::/\n", root), Some(0));
    }

    #[test]
    fn memory_of_containers_of_version_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        write(
            root,
            &[
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory/memory.usage_in_bytes", "7\n"),
                ("memory/docker/x/memory.limit_in_bytes", "1000\n"),
                ("memory/docker/x/memory.usage_in_bytes", "700\n"),
                ("memory/docker/x/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n"),
            ],
        );
        let own = "12:cpu,cpuacct:/docker/x\n5:memory:/docker/x\n0::/system\n";
        assert_eq!(control_groups(own, root), Some(500));
        assert_eq!(control_groups("12:cpu,cpuacct:/docker/x\n", root), None);
    }
}
