//! NVRTC, NVIDIA's compiler as a library, found and loaded at run time.

use std::ffi::{CStr, CString, OsString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

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

static NVRTC: OnceLock<Result<Nvrtc, String>> = OnceLock::new();

/// The compiler, loaded once.
pub(crate) fn nvrtc() -> Result<&'static Nvrtc, Error> {
    NVRTC
        .get_or_init(Nvrtc::load)
        .as_ref()
        .map_err(|reason| Error::NoDevice { device: "cuda".into(), reason: reason.clone() })
}

/// Names and places to look for the library, best first. A variable that is empty or relative leads
/// to no place: it would make this process run what lies in the current folder.
fn candidates(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let versions = ["13", "12"];
    let names: Vec<String> = match cfg!(windows) {
        true => versions.iter().map(|v| format!("nvrtc64_{v}0_0.dll")).collect(),
        false => versions.iter().map(|v| format!("libnvrtc.so.{v}")).collect(),
    };
    let mut folders = Vec::new();
    for name in ["CUDA_PATH", "CUDA_HOME"] {
        folders.extend(variable(name).map(PathBuf::from).filter(|path| path.is_absolute()));
    }
    folders.push("/usr/local/cuda".into());
    for version in ["13.0", "13.1", "13.2", "13", "12.9", "12.8", "12.6", "12.4", "12"] {
        folders.push(format!("/usr/local/cuda-{version}").into());
    }
    // The loader's own search path first; then where toolkits are installed.
    let mut paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
    for folder in folders {
        for part in ["lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib", "bin"] {
            paths.extend(names.iter().map(|name| folder.join(part).join(name)));
        }
    }
    paths
}

impl Nvrtc {
    fn load() -> Result<Self, String> {
        let mut candidates = candidates(|name| std::env::var_os(name)).into_iter();
        // SAFETY: loading NVIDIA's library runs its initialisers, which have no preconditions.
        let found = candidates.find_map(|path| unsafe { Library::new(path) }.ok());
        let Some(library) = found else {
            return Err(
                "NVRTC (libnvrtc.so.13 or .12) was not found; it comes with the CUDA toolkit \
                        and by itself as the Python package nvidia-cuda-nvrtc; put its folder into \
                        LD_LIBRARY_PATH or set CUDA_PATH"
                    .into(),
            );
        };
        let missing = |error: libloading::Error| format!("NVRTC is too old: {error}");
        // SAFETY: the types are those of nvrtc.h, which has not changed them since CUDA 11.
        unsafe {
            let version: Version = *library.get(b"nvrtcVersion\0").map_err(missing)?;
            let (mut major, mut minor) = (0, 0);
            version(&mut major, &mut minor);
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
        let log = self.read(program, self.log_size, self.log);
        let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned();
        let image = match compiled {
            0 => self.read(program, self.cubin_size, self.cubin),
            _ => Vec::new(),
        };
        // SAFETY: created above and not used again.
        unsafe { (self.destroy)(&mut program) };
        self.check(&format!("compiling {name}"), compiled, || log.clone())?;
        Ok((image, log))
    }

    fn read(&self, program: Program, size: Size, read: Read) -> Vec<u8> {
        let mut length = 0;
        // SAFETY: the program exists; the buffer has the length that was returned.
        unsafe {
            if size(program, &mut length) != 0 {
                return Vec::new();
            }
            let mut bytes = vec![0u8; length];
            match read(program, bytes.as_mut_ptr().cast()) {
                0 => bytes,
                _ => Vec::new(),
            }
        }
    }

    fn check(&self, what: &str, code: c_int, log: impl Fn() -> String) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: returns a static string for any code.
        let text = unsafe { CStr::from_ptr((self.error_text)(code)) }.to_string_lossy();
        let reason = format!("{what}: {text}\n{}", log()).trim_end().to_owned();
        Err(Error::DeviceFailed { reason })
    }
}

#[cfg(test)]
mod tests {
    use super::candidates;

    /// Every candidate is a name for the loader or a full path.
    #[test]
    fn an_empty_or_relative_cuda_path_loaded_from_the_current_folder() {
        let usual = candidates(|_| None);
        for bad in ["", ".", "cuda", "./cuda", "../cuda"] {
            assert_eq!(candidates(|_| Some(bad.into())), usual, "{bad}");
        }
        assert!(usual.iter().all(|path| path.is_absolute() || path.components().count() == 1));
        let root = if cfg!(windows) { r"C:\cuda" } else { "/opt/cuda" };
        let all = candidates(|name| (name == "CUDA_HOME").then(|| root.into()));
        assert!(all.len() > usual.len() && all.iter().any(|path| path.starts_with(root)));
    }
}
