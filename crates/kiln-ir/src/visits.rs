//! How often nodes and values of graphs were looked at: what work on a graph costs, whatever the machine is.

#[cfg(debug_assertions)]
thread_local! {
    static VISITS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts a look at a node or a value.
#[inline]
pub(crate) fn visit() {
    #[cfg(debug_assertions)]
    VISITS.with(|visits| visits.set(visits.get() + 1));
}

/// Looks at nodes and values so far, on this thread; `None` in builds without debug assertions, which count none.
pub fn visits() -> Option<u64> {
    #[cfg(debug_assertions)]
    return Some(VISITS.with(std::cell::Cell::get));
    #[cfg(not(debug_assertions))]
    None
}
