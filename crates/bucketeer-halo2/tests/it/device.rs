//! What happens without the device that the environment names: tested in processes of their own.

use std::process::{Command, Output};

use bucketeer_halo2::{DEVICE_VARIABLE, Device, device, msm, msm_best, with_device};
use halo2curves::bn256::{Fr, G1, G1Affine};

/// Runs one of the tests below that are marked as ignored.
fn process(test: &str, device: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("device::{test}"), "--exact", "--ignored", "--nocapture"]);
    command.env(DEVICE_VARIABLE, device).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

#[test]
fn environment() {
    let output = process("computes", "cpu");
    assert!(text(&output).contains("1 passed"), "{}", text(&output));
    let output = process("computes", "cuda:99");
    assert!(!output.status.success());
    assert!(text(&output).contains("the MSM failed: "), "{}", text(&output));
    assert!(text(&output).contains("no device cuda:99"), "{}", text(&output));
    let output = process("errors", "cuda:99");
    assert!(text(&output).contains("1 passed"), "{}", text(&output));
}

#[test]
#[ignore = "run by `environment` in a process of its own"]
fn computes() {
    let sum = msm_best(&[Fr::from(3), Fr::from(4)], &[G1Affine::generator(); 2]);
    assert_eq!(sum, G1::generator() * Fr::from(7));
}

#[test]
#[ignore = "run by `environment` in a process of its own"]
fn errors() {
    let (scalars, points) = ([Fr::from(3)], [G1Affine::generator()]);
    assert!(device().is_err());
    assert!(msm(&scalars, &points).is_err());
    let sum = with_device(&Device::cpu(), || msm(&scalars, &points)).unwrap();
    assert_eq!(sum, G1::generator() * Fr::from(3));
}
