//! The MSMs that every point type computes.

/// Tests in a module for one point type. Traits of its version are imported around it. The last
/// argument is the library's own MSM, or nothing.
macro_rules! curve {
    ($name:ident, $point:ty $(, $own_msm:path)?) => {
        mod $name {
            use super::*;
            use bucketeer_halo2::{Bases, Device, Error, msm, msm_best};

            type Scalar = <$point as CurveAffine>::ScalarExt;
            type Group = <$point as CurveAffine>::CurveExt;

            /// Scalars that look random: k ↦ k² + 5 from a seed.
            fn scalars(n: usize, seed: u64) -> Vec<Scalar> {
                let next = |k: &Scalar| Some(k.square() + Scalar::from(5));
                let all = std::iter::successors(Some(-Scalar::from(seed)), next);
                all.skip(10).take(n).collect()
            }

            /// Multiples of the generator that look random; many share a base.
            fn points(n: usize, seed: u64) -> Vec<$point> {
                let step: Group = <$point>::generator() * scalars(1, seed)[0];
                let all = std::iter::successors(Some(step.double()), |sum| Some(*sum + step));
                let points: Vec<Group> = all.take(n).collect();
                points.iter().map(|point| point.to_affine()).collect()
            }

            fn double_and_add(scalars: &[Scalar], points: &[$point]) -> Group {
                let products = points.iter().zip(scalars).map(|(point, scalar)| *point * *scalar);
                products.fold(Group::identity(), |sum: Group, product: Group| sum + product)
            }

            /// All ways to the sum.
            fn check(scalars: &[Scalar], points: &[$point], expected: Group) {
                assert_eq!(msm_best(scalars, points), expected);
                assert_eq!(msm(scalars, points).unwrap(), expected);
                let bases = Bases::load(&Device::cpu(), points).unwrap();
                assert_eq!(bases.msm(scalars).unwrap(), expected);
                let doubled: Vec<_> = scalars.iter().map(|scalar| *scalar + scalar).collect();
                let sums = bases.msm_batch(&[scalars, &doubled, scalars]).unwrap();
                assert_eq!(sums, [expected, expected + expected, expected]);
            }

            #[test]
            fn small_and_odd_sizes() {
                for n in [0, 1, 2, 3, 7, 31, 33, 100, 257] {
                    let (scalars, points) = (scalars(n, 3), points(n, 7));
                    let expected = double_and_add(&scalars, &points);
                    check(&scalars, &points, expected);
                    $( assert_eq!($own_msm(&scalars, &points), expected, "n = {n}"); )?
                }
            }

            #[test]
            fn infinities_zeros_and_opposites() {
                let n = 120;
                let (mut scalars, mut points) = (scalars(n, 4), points(n, 8));
                for i in (0..n).step_by(5) {
                    points[i] = <$point>::identity();
                    scalars[(i + 1) % n] = Scalar::from(0);
                    scalars[(i + 2) % n] = -Scalar::from(1);
                }
                // Equal points, and P and −P with the same scalar.
                points[3] = points[4];
                scalars[3] = scalars[4];
                points[8] = -points[9];
                scalars[8] = scalars[9];
                let expected = double_and_add(&scalars, &points);
                check(&scalars, &points, expected);
                $( assert_eq!($own_msm(&scalars, &points), expected); )?

                for n in [1, 2, 60] {
                    let (zeros, infinities) = (vec![Scalar::from(0); n], vec![<$point>::identity(); n]);
                    check(&zeros, &points[..n], Group::identity());
                    check(&scalars[..n], &infinities, Group::identity());
                    let (same, k) = (vec![points[1]; n], vec![scalars[0]; n]);
                    check(&k, &same, points[1] * (scalars[0] * Scalar::from(n as u64)));
                }
                let opposites = [points[1], -points[1]];
                check(&[scalars[0]; 2], &opposites, Group::identity());
            }

            #[test]
            fn many() {
                let n = 3000;
                let (scalars, points) = (scalars(n, 5), points(n, 9));
                // Points are (i + 2)·P: the sum is one multiple of P.
                let step: Group = <$point>::generator() * self::scalars(1, 9)[0];
                let weights = scalars.iter().zip(2..).map(|(k, i)| *k * Scalar::from(i));
                let expected = step * weights.fold(Scalar::from(0), |sum, k| sum + k);
                check(&scalars, &points, expected);
                $( assert_eq!($own_msm(&scalars, &points), expected); )?
            }

            #[test]
            fn lengths() {
                let (scalars, points) = (scalars(5, 6), points(5, 10));
                let error = Error::LengthMismatch { bases: 4, scalars: 5 };
                assert_eq!(msm(&scalars, &points[..4]).unwrap_err(), error);
                let error = Error::LengthMismatch { bases: 5, scalars: 0 };
                assert_eq!(msm(&[], &points).unwrap_err(), error);
                let panic = std::panic::catch_unwind(|| msm_best(&scalars, &points[..4]));
                let panic = panic.unwrap_err();
                let text = panic.downcast_ref::<String>().unwrap();
                assert!(text.contains("4 bases but 5 scalars"), "{text}");

                let bases = Bases::load(&Device::cpu(), &points).unwrap();
                assert_eq!((bases.len(), bases.is_empty()), (5, false));
                let expected = double_and_add(&scalars[..2], &points);
                assert_eq!(bases.msm(&scalars[..2]).unwrap(), expected);
                let more: Vec<_> = scalars.iter().chain(&scalars).copied().collect();
                let error = Error::LengthMismatch { bases: 5, scalars: 10 };
                assert_eq!(bases.msm(&more).unwrap_err(), error);
            }
        }
    };
}

pub(crate) use curve;
