//! NVRTC, NVIDIA's compiler as a library, found and loaded at run time.

use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::search;
use crate::Error;

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Read = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type ErrorText = unsafe extern "C" fn(c_int) -> *const c_char;

/// The functions used here.
pub(crate) struct Nvrtc {
    create: Create,
    compile: Compile,
    cubin_size: Size,
    cubin: Read,
    log_size: Size,
    log: Read,
    destroy: Destroy,
    error_text: ErrorText,
    /// (major, minor)
    pub version: (i32, i32),
    _library: Library,
}

static NVRTC: OnceLock<Nvrtc> = OnceLock::new();

/// The compiler, loaded once. A failure is not kept: what is missing may be installed meanwhile.
pub(crate) fn nvrtc() -> Result<&'static Nvrtc, Error> {
    if let Some(loaded) = NVRTC.get() {
        return Ok(loaded);
    }
    let missing = |reason| Error::NoDevice { device: "cuda".into(), reason };
    let loaded = Nvrtc::load().map_err(missing)?;
    Ok(NVRTC.get_or_init(|| loaded))
}

/// The names of the library, best first.
fn names() -> [String; 2] {
    ["13", "12"].map(|version| match cfg!(windows) {
        true => format!("nvrtc64_{version}0_0.dll"),
        false => format!("libnvrtc.so.{version}"),
    })
}

/// Full paths to look at, best first. A variable that is empty or relative leads to none: it would
/// make this process run what lies in the current folder.
fn candidates(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let names = names();
    let mut paths = Vec::new();
    let mut loader = search::folders(&variable);
    for folder in ["lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "lib", "local/lib"] {
        loader.push(PathBuf::from("/usr").join(folder));
    }
    // The loader's own order: its variable, its cache, its folders. Then where toolkits are
    // installed.
    for name in &names {
        let (own, usual) = loader.split_at(loader.len() - 5);
        paths.extend(own.iter().map(|folder| folder.join(name)));
        paths.extend(in_cache(name));
        paths.extend(usual.iter().map(|folder| folder.join(name)));
    }
    let mut folders = Vec::new();
    for name in ["CUDA_PATH", "CUDA_HOME"] {
        folders.extend(variable(name).map(PathBuf::from).filter(|path| path.is_absolute()));
    }
    folders.push("/usr/local/cuda".into());
    for version in ["13.0", "13.1", "13.2", "13", "12.9", "12.8", "12.6", "12.4", "12"] {
        folders.push(format!("/usr/local/cuda-{version}").into());
    }
    for folder in folders {
        for part in ["lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib", "bin"] {
            paths.extend(names.iter().map(|name| folder.join(part).join(name)));
        }
    }
    paths
}

/// Where the loader's cache has a library. Its names and paths end in a zero byte each.
#[cfg(target_os = "linux")]
fn in_cache(name: &str) -> Vec<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = std::fs::read("/etc/ld.so.cache").unwrap_or_default();
    let texts = bytes.split(|byte| *byte == 0).map(|text| Path::new(OsStr::from_bytes(text)));
    let ours = |path: &&Path| path.is_absolute() && path.file_name() == Some(OsStr::new(name));
    texts.filter(ours).map(Path::to_owned).collect()
}

#[cfg(not(target_os = "linux"))]
fn in_cache(_: &str) -> Vec<PathBuf> {
    Vec::new()
}

/// The library, if this process has loaded it already, as a Python program with packages of NVIDIA
/// does.
#[cfg(unix)]
fn loaded() -> Option<Library> {
    use libloading::os::unix;
    let flags = unix::RTLD_NOW | libc::RTLD_NOLOAD;
    // SAFETY: nothing is loaded, so no code runs.
    names()
        .iter()
        .find_map(|name| unsafe { unix::Library::open(Some(name), flags) }.ok().map(Into::into))
}

#[cfg(not(unix))]
fn loaded() -> Option<Library> {
    None
}

/// Finds and loads the library.
fn library() -> Result<Library, String> {
    if let Some(library) = loaded() {
        return Ok(library);
    }
    if let Some(reason) = search::planted() {
        return Err(reason);
    }
    let mut refused = String::new();
    for path in candidates(|name| std::env::var_os(name)).iter().filter(|path| path.is_file()) {
        if let Some(reason) = search::distrusted(path) {
            refused += &format!("; {} was not loaded: {reason}", path.display());
            continue;
        }
        // SAFETY: loading NVIDIA's library runs its initialisers, which have no preconditions.
        if let Ok(library) = unsafe { Library::new(path) } {
            return Ok(library);
        }
    }
    Err(format!(
        "NVRTC (libnvrtc.so.13 or .12) was not found; it comes with the CUDA toolkit and by itself \
         as the Python package nvidia-cuda-nvrtc; put its folder into LD_LIBRARY_PATH or set \
         CUDA_PATH{refused}"
    ))
}

impl Nvrtc {
    fn load() -> Result<Self, String> {
        let library = library()?;
        let missing = |error: libloading::Error| format!("NVRTC is too old: {error}");
        // SAFETY: the types are those of nvrtc.h, which has not changed them since CUDA 11.
        unsafe {
            let version: Version = *library.get(b"nvrtcVersion\0").map_err(missing)?;
            let (mut major, mut minor) = (0, 0);
            if version(&mut major, &mut minor) != 0 {
                return Err("NVRTC does not tell its version".into());
            }
            Ok(Self {
                create: *library.get(b"nvrtcCreateProgram\0").map_err(missing)?,
                compile: *library.get(b"nvrtcCompileProgram\0").map_err(missing)?,
                cubin_size: *library.get(b"nvrtcGetCUBINSize\0").map_err(missing)?,
                cubin: *library.get(b"nvrtcGetCUBIN\0").map_err(missing)?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0").map_err(missing)?,
                log: *library.get(b"nvrtcGetProgramLog\0").map_err(missing)?,
                destroy: *library.get(b"nvrtcDestroyProgram\0").map_err(missing)?,
                error_text: *library.get(b"nvrtcGetErrorString\0").map_err(missing)?,
                version: (major, minor),
                _library: library,
            })
        }
    }

    /// Compiles a source with named headers; the machine code and the compiler's messages.
    pub(crate) fn compile(
        &self,
        name: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Result<(Vec<u8>, String), Error> {
        let text = |text: &str| {
            CString::new(text).map_err(|_| Error::Internal(format!("{name}: a zero byte")))
        };
        let (source, title) = (text(source)?, text(name)?);
        let contents = headers.iter().map(|(_, s)| text(s)).collect::<Result<Vec<_>, _>>()?;
        let names = headers.iter().map(|(n, _)| text(n)).collect::<Result<Vec<_>, _>>()?;
        let options = options.iter().map(|o| text(o)).collect::<Result<Vec<_>, _>>()?;
        let pointers = |all: &[CString]| all.iter().map(|s| s.as_ptr()).collect::<Vec<_>>();
        let mut program = ptr::null_mut();
        let (contents, names) = (pointers(&contents), pointers(&names));
        // SAFETY: all strings live until the end of this function; the counts are their numbers.
        let created = unsafe {
            let count = headers.len() as c_int;
            let (contents, names) = (contents.as_ptr(), names.as_ptr());
            (self.create)(&mut program, source.as_ptr(), title.as_ptr(), count, contents, names)
        };
        self.check("nvrtcCreateProgram", created, String::new)?;
        let options = pointers(&options);
        // SAFETY: the program exists until `destroy`.
        let compiled = unsafe { (self.compile)(program, options.len() as c_int, options.as_ptr()) };
        let log = self.read(program, "the log", self.log_size, self.log);
        let image = match compiled {
            0 => self.read(program, "the code", self.cubin_size, self.cubin),
            _ => Ok(Vec::new()),
        };
        // SAFETY: created above and not used again, even if the call reports a failure.
        unsafe { (self.destroy)(&mut program) };
        let text = |log: &Result<Vec<u8>, Error>| {
            let log = log.as_deref().unwrap_or_default();
            String::from_utf8_lossy(log).trim_end_matches('\0').to_owned()
        };
        self.check(&format!("compiling {name}"), compiled, || text(&log))?;
        let image = image?;
        if image.is_empty() {
            let reason = format!("compiling {name}: the compiler has left no code");
            return Err(Error::DeviceFailed { reason });
        }
        Ok((image, text(&Ok(log?))))
    }

    /// An output of the compiler for a program: its size, then its bytes.
    fn read(&self, program: Program, what: &str, size: Size, read: Read) -> Result<Vec<u8>, Error> {
        let mut length = 0;
        // SAFETY: the program exists, and one number is written.
        self.check(what, unsafe { size(program, &mut length) }, String::new)?;
        let mut bytes = vec![0u8; length];
        // SAFETY: the program exists; the buffer has the length that was returned.
        self.check(what, unsafe { read(program, bytes.as_mut_ptr().cast()) }, String::new)?;
        Ok(bytes)
    }

    fn check(&self, what: &str, code: c_int, log: impl Fn() -> String) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: takes any code.
        let text = unsafe { (self.error_text)(code) };
        let text = match text.is_null() {
            true => format!("error {code}").into(),
            // SAFETY: not null, and the compiler's strings live as long as its library.
            false => unsafe { CStr::from_ptr(text) }.to_string_lossy(),
        };
        let reason = format!("{what}: {text}\n{}", log()).trim_end().to_owned();
        Err(Error::DeviceFailed { reason })
    }
}

#[cfg(test)]
mod tests {
    use super::candidates;

    /// Every candidate is a full path.
    #[test]
    fn an_empty_or_relative_cuda_path_loaded_from_the_current_folder() {
        let usual = candidates(|_| None);
        for bad in ["", ".", "cuda", "./cuda", "../cuda"] {
            assert_eq!(candidates(|_| Some(bad.into())), usual, "{bad}");
        }
        assert!(!usual.is_empty() && usual.iter().all(|path| path.is_absolute()));
        let root = if cfg!(windows) { r"C:\cuda" } else { "/opt/cuda" };
        let all = candidates(|name| (name == "CUDA_HOME").then(|| root.into()));
        assert!(all.len() > usual.len() && all.iter().any(|path| path.starts_with(root)));
    }
}
