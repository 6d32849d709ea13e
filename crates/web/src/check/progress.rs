//! The progress of a run, reported to a function of the page.

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

use closefit::{Observer, Stage};
use js_sys::Function;
use wasm_bindgen::JsValue;

thread_local! {
    /// The function that receives the progress. A page has one thread, and a function cannot leave it.
    static TOLD: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Reports the stages of a run to a function, and in each stage about every hundredth of its items.
pub struct Progress(Mutex<Place>);

struct Place {
    stage: &'static str,
    done: u64,
    total: u64,
    /// The number of items at which the function is called next.
    next: u64,
}

impl Progress {
    /// Begins a run whose progress a function receives: the name of a stage, the number of its items that
    /// are done, and the number of all.
    pub fn to(function: Function) -> Self {
        TOLD.set(Some(function));
        Self(Mutex::new(Place { stage: "", done: 0, total: 0, next: 0 }))
    }

    fn change(&self, change: impl FnOnce(&mut Place)) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut place);
        if place.done >= place.next {
            place.next = place.done + place.total / 100;
            let [done, total] = [place.done, place.total].map(|items| JsValue::from_f64(items as f64));
            let stage = JsValue::from_str(place.stage);
            TOLD.with_borrow(|told| {
                // What a function throws about its own work does not concern the run.
                let _ = told.as_ref().map(|told| told.call3(&JsValue::NULL, &stage, &done, &total));
            });
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        TOLD.set(None);
    }
}

impl Observer for Progress {
    fn begin(&self, stage: Stage, total: u64) {
        self.change(|place| *place = Place { stage: stage.name(), done: 0, total, next: 0 });
    }

    fn advance_by(&self, items: u64) {
        self.change(|place| place.done += items);
    }

    fn leave(&self, _: [closefit::PartId; 2]) {
        self.advance();
    }
}
