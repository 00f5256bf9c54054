//! The bytes of wrappers are those of what they wrap.

/// Serialises `$wrapper` as the `$inner` it wraps, with the same checks.
macro_rules! serialize_as_inner {
    ($parameter:ident: $bound:path, $wrapper:ty, $inner:ty) => {
        impl<$parameter: $bound> ark_serialize::CanonicalSerialize for $wrapper {
            fn serialize_with_mode<W: std::io::Write>(
                &self,
                writer: W,
                compress: ark_serialize::Compress,
            ) -> Result<(), ark_serialize::SerializationError> {
                ark_serialize::CanonicalSerialize::serialize_with_mode(&self.0, writer, compress)
            }

            fn serialized_size(&self, compress: ark_serialize::Compress) -> usize {
                ark_serialize::CanonicalSerialize::serialized_size(&self.0, compress)
            }
        }

        impl<$parameter: $bound> ark_serialize::Valid for $wrapper {
            const TRIVIAL_CHECK: bool = <$inner as ark_serialize::Valid>::TRIVIAL_CHECK;

            fn check(&self) -> Result<(), ark_serialize::SerializationError> {
                ark_serialize::Valid::check(&self.0)
            }

            fn batch_check<'a>(
                batch: impl Iterator<Item = &'a Self> + Send,
            ) -> Result<(), ark_serialize::SerializationError>
            where
                Self: 'a,
            {
                <$inner as ark_serialize::Valid>::batch_check(batch.map(|wrapper| &wrapper.0))
            }
        }

        impl<$parameter: $bound> ark_serialize::CanonicalDeserialize for $wrapper {
            fn deserialize_with_mode<R: std::io::Read>(
                reader: R,
                compress: ark_serialize::Compress,
                validate: ark_serialize::Validate,
            ) -> Result<Self, ark_serialize::SerializationError> {
                <$inner as ark_serialize::CanonicalDeserialize>::deserialize_with_mode(
                    reader, compress, validate,
                )
                .map(Self)
            }
        }
    };
}

pub(crate) use serialize_as_inner;
