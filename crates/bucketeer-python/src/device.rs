//! Devices to compute on.

use bucketeer::DeviceKind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::call::{call, invalid};

/// A processor to run on: `auto` (an NVIDIA GPU if there is one, otherwise the CPU), `cpu`,
/// `cuda:0`, `cuda:0,1`, `webgpu:0`. It is never silently another one.
#[pyclass(frozen, module = "bucketeer")]
pub struct Device(pub bucketeer::Device);

impl Device {
    /// The device of an argument: a device, a name, or `None` for the best one.
    pub fn of(py: Python<'_>, argument: Option<&Bound<'_, PyAny>>) -> PyResult<bucketeer::Device> {
        let Some(argument) = argument else {
            return call(py, || Ok(bucketeer::Device::best()));
        };
        if let Ok(device) = argument.cast::<Self>() {
            return Ok(device.get().0.clone());
        }
        if let Ok(name) = argument.cast::<PyString>() {
            let name = name.to_cow()?;
            return call(py, || bucketeer::Device::named(&name));
        }
        let kind = argument.get_type();
        Err(PyTypeError::new_err(format!("device: expected a Device or its name, not {kind}")))
    }
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (name = "auto", *, threads = None))]
    fn new(py: Python<'_>, name: &str, threads: Option<usize>) -> PyResult<Self> {
        let device = match threads {
            None => call(py, || bucketeer::Device::named(name)),
            Some(threads) if name == "cpu" => {
                call(py, || bucketeer::Device::cpu_with_threads(threads))
            }
            Some(_) => Err(invalid("threads: only the device \"cpu\" has threads to choose")),
        };
        device.map(Self)
    }

    /// What sort of processor it is.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind() {
            DeviceKind::Cpu => "cpu",
            DeviceKind::Cuda => "cuda",
            DeviceKind::WebGpu => "webgpu",
            _ => "other",
        }
    }

    /// Threads of a CPU, multiprocessors of a GPU.
    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        call(py, || Ok(self.0.facts().threads))
    }

    /// Bytes it may allocate now.
    #[getter]
    fn memory(&self, py: Python<'_>) -> PyResult<u64> {
        call(py, || Ok(self.0.facts().memory))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Device {}>", self.0)
    }
}

/// The names of the devices that are present.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<String>> {
    call(py, || {
        #[cfg(feature = "cuda")]
        let cuda = bucketeer::Device::cuda_count().unwrap_or(0);
        #[cfg(not(feature = "cuda"))]
        let cuda = 0;
        #[cfg(feature = "webgpu")]
        let webgpu = bucketeer::Device::webgpu_count();
        #[cfg(not(feature = "webgpu"))]
        let webgpu = 0;
        let cuda = (0..cuda).map(|index| format!("cuda:{index}"));
        let webgpu = (0..webgpu).map(|index| format!("webgpu:{index}"));
        Ok(std::iter::once("cpu".into()).chain(cuda).chain(webgpu).collect())
    })
}
