//! Resident bases as the words of their table, to be kept and to be loaded again without making it.

use std::sync::Arc;

use super::{Bases, Builder, Held, Inner};
use crate::facts::Arithmetic;
use crate::plan::{Buffer, BufferKind, Plan, Request, ScalarBound, Table, stored_point_bytes};
use crate::{Curve, CurveSpec, Device, Error};

/// What a table of words is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredTable {
    pub(crate) table: Table,
    /// Bases, each of which has [`Table::stored`] points.
    pub(crate) bases: usize,
    /// The scalars that it was made for.
    pub(crate) scalars: ScalarBound,
    /// Whether runs over it must be right for every point of the curve.
    pub(crate) any_point: bool,
    /// The arithmetic whose form the words have.
    pub(crate) arithmetic: Arithmetic,
}

/// Fills a part of a table, of which the first word has this index.
pub(crate) type ReadWords<'a> = &'a mut dyn FnMut(&mut [u64]) -> Result<(), Error>;

fn refused(reason: &str) -> Error {
    let setting = "table to be kept";
    Error::InvalidSetting { setting, value: "these bases".into(), reason: reason.into() }
}

impl<C: Curve> Bases<C> {
    /// The table, and its words.
    pub(crate) fn stored(&self) -> Result<(StoredTable, &[u64]), Error> {
        let inner = &*self.inner;
        let engine = match &inner.held {
            Held::Engine { engine, streamed: None } => engine,
            Held::Engine { .. } => {
                return Err(refused("their table does not fit in memory, or in its limit"));
            }
            Held::Shares(_) => return Err(refused("each of several devices has a table")),
            #[cfg(feature = "ranks")]
            Held::Rank(_) => return Err(refused("each rank has a table")),
        };
        let Some(words) = engine.table_words() else {
            let reason = match inner.device.kind() {
                crate::DeviceKind::Cpu => {
                    "a few bases are held as multiples; Accumulate::Slices makes a table"
                }
                _ => "a GPU makes a table faster than it is read; only a CPU's can be kept",
            };
            return Err(refused(reason));
        };
        let stored = StoredTable {
            table: inner.table,
            bases: self.len(),
            scalars: inner.table_scalars,
            any_point: inner.settings.any_point,
            arithmetic: Arithmetic::choose(&inner.curve, &inner.plan.device),
        };
        Ok((stored, words))
    }
}

impl<C: Curve> Builder<C> {
    /// Bases on a table that was made before; `read` fills it with its words.
    pub(crate) fn restore(
        &self,
        device: &Device,
        stored: StoredTable,
        read: ReadWords<'_>,
    ) -> Result<Bases<C>, Error> {
        if self.settings.verify {
            let reason = "a file of a table does not have the bases that it would be compared with";
            let (setting, value) = ("verify", "true".into());
            return Err(Error::InvalidSetting { setting, value, reason: reason.into() });
        }
        let curve = CurveSpec::of::<C>();
        let StoredTable { table, bases, scalars, any_point, arithmetic } = stored;
        let facts = device.facts();
        let shared = !device.parts().is_empty() || device.is_over_ranks();
        if device.kind() != crate::DeviceKind::Cpu || shared {
            let device = device.to_string();
            let reason = "tables from files are for one CPU; a GPU makes its own".into();
            return Err(Error::InvalidSetting { setting: "device", value: device, reason });
        }
        let own = Arithmetic::choose(&curve, &facts);
        if arithmetic != own {
            let reason =
                format!("the table was made with {arithmetic} and cannot be used with {own}");
            let value = device.to_string();
            return Err(Error::InvalidSetting { setting: "device", value, reason });
        }
        let mut settings = self.settings_for(bases);
        settings.any_point = any_point;
        let points = (bases as u64).saturating_mul(table.stored() as u64);
        let bytes = points.saturating_mul(stored_point_bytes(&curve));
        let available = settings.memory_limit.unwrap_or(facts.memory);
        let Some(left) = available.checked_sub(bytes) else {
            return Err(Error::OutOfMemory { needed: bytes, available });
        };
        let mut own = settings.clone();
        own.memory_limit = own.memory_limit.map(|_| left);
        let request = Request::new(&curve, bases, facts.with_memory(left))
            .scalars(scalars)
            .settings(&own)
            .table(table);
        let mut plan = Plan::new(&request)?;
        plan.buffers.retain(|buffer| buffer.kind != BufferKind::Bases);
        plan.buffers.insert(0, Buffer::new(BufferKind::Bases, bytes));
        let mut engine = device.engine::<C>(&plan)?;
        engine.restore(&table, bases, read)?;
        let held = Held::Engine { engine, streamed: None };
        let hook = self.hook.clone();
        let inner = Inner::on_table(device, settings, plan, (table, scalars), held, hook);
        Ok(Bases { inner: Arc::new(inner) })
    }
}
