//! The error type.

/// The module of the error, under the name that it has in the crate that this one replaces.
pub mod cuda {
    use std::borrow::Cow;
    use std::fmt;

    /// Why nothing was computed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Error {
        /// Never 0: 1 for what Bucketeer does not compute, 2 for arguments that it does not take,
        /// 3 for a run that failed.
        pub code: i32,
        message: Cow<'static, str>,
    }

    impl Error {
        pub(crate) fn unsupported(message: &'static str) -> Self {
            Self { code: 1, message: message.into() }
        }

        pub(crate) fn arguments(message: String) -> Self {
            Self { code: 2, message: message.into() }
        }
    }

    impl From<bucketeer::Error> for Error {
        fn from(error: bucketeer::Error) -> Self {
            Self { code: 3, message: error.to_string().into() }
        }
    }

    impl fmt::Display for Error {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(&self.message)
        }
    }

    impl std::error::Error for Error {}

    impl From<Error> for String {
        fn from(error: Error) -> Self {
            error.message.into_owned()
        }
    }

    impl From<&Error> for String {
        fn from(error: &Error) -> Self {
            error.message.clone().into_owned()
        }
    }
}
