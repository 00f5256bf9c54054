//! The device: chosen once per process, so most of these tests run in a process of their own.

use std::process::{Command, Output};

use ark_bls12_381::G1Affine;
use ark_ec::VariableBaseMSM;
use bucketeer::Device;
use bucketeer_ark::{DEVICE_VARIABLE, Projective, Settings, device, with_device};

use crate::random_bases;

/// Runs one of the tests below that are marked as ignored.
fn process(test: &str, device: Option<&str>) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("device::{test}"), "--exact", "--ignored", "--nocapture"]);
    match device {
        Some(name) => command.env(DEVICE_VARIABLE, name),
        None => command.env_remove(DEVICE_VARIABLE),
    };
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

fn passes(test: &str, device: Option<&str>) {
    let output = process(test, device);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("1 passed"), "{}", text(&output));
}

fn one_msm() {
    let bases = random_bases::<G1Affine>(10);
    let expected: ark_bls12_381::G1Projective = bases.iter().map(|base| base.0).sum();
    assert_eq!(Projective::msm_u1(&bases, &[true; 10]).0, expected);
}

#[test]
fn environment() {
    passes("on_the_cpu", Some("cpu"));
    passes("on_the_best", None);
    passes("on_the_best", Some(""));
    passes("on_the_best", Some("auto"));
    passes("cannot_be_opened", Some("cuda:99"));
    let reason = "BUCKETEER_DEVICE = toaster is not possible: unknown device \"toaster\"";
    for (name, reason) in [("toaster", reason), ("cuda:99", "no device cuda:99")] {
        let output = process("on_the_cpu", Some(name));
        assert!(!output.status.success());
        assert!(text(&output).contains(reason), "{}", text(&output));
    }
}

#[test]
fn settings() {
    passes("installed_once", Some("toaster"));
    passes("installed_too_late", None);
}

#[test]
#[ignore = "run by `environment` in a process of its own"]
fn on_the_cpu() {
    one_msm();
    assert_eq!(device().unwrap().to_string(), Device::cpu().to_string());
}

#[test]
#[ignore = "run by `environment` in a process of its own"]
fn on_the_best() {
    // Ten bases, which no GPU was opened for: they end sooner on the CPU.
    one_msm();
    assert_eq!(device().unwrap().to_string(), Device::best().to_string());
}

#[test]
#[ignore = "run by `environment` in a process of its own"]
fn cannot_be_opened() {
    assert!(device().unwrap_err().to_string().contains("cuda:99"));
    let error = Settings::new().allow_cpu_fallback().install().unwrap_err();
    assert!(error.to_string().contains("cuda:99"), "{error}");
    // A scope has its own device.
    with_device(&Device::cpu(), one_msm);
}

/// A device that is installed does without the environment's.
#[test]
#[ignore = "run by `settings` in a process of its own"]
fn installed_once() {
    let one_thread = Device::cpu_with_threads(1).unwrap();
    Settings::new().device(one_thread).allow_cpu_fallback().any_point().install().unwrap();
    assert_eq!(device().unwrap().facts().threads, 1);
    one_msm();
    let error = Settings::new().device(Device::cpu()).install().unwrap_err();
    assert!(error.to_string().contains("has chosen its device already"), "{error}");
}

#[test]
#[ignore = "run by `settings` in a process of its own"]
fn installed_too_late() {
    one_msm();
    assert!(Settings::new().device(Device::cpu()).install().is_err());
}

#[test]
fn scopes() {
    let devices = [1, 2, 3].map(|threads| Device::cpu_with_threads(threads).unwrap());
    let threads = || device().unwrap().facts().threads;
    let elsewhere = || std::thread::scope(|scope| scope.spawn(threads).join().unwrap());
    with_device(&devices[0], || {
        assert_eq!((threads(), elsewhere()), (1, 1));
        with_device(&devices[2], || assert_eq!((threads(), elsewhere()), (3, 3)));
        // Another thread's scope counts there, and for threads that are in none.
        std::thread::scope(|scope| {
            let other = || with_device(&devices[1], || (threads(), elsewhere()));
            assert_eq!(scope.spawn(other).join().unwrap(), (2, 2));
        });
        assert_eq!((threads(), elsewhere()), (1, 1));
        one_msm();
    });
}
