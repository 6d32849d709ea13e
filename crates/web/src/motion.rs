//! Questions about two meshes along motions.

use closefit::{Between, DVec3, Keyframe};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Refusal;
use crate::tree::Tree;

/// A motion of a body: through keyframes, at rest before the first and after the last.
#[wasm_bindgen]
pub struct Motion(closefit::Motion);

#[wasm_bindgen]
impl Motion {
    /// Makes a motion through keyframes: for each, a time in seconds, later than the one before; a
    /// quaternion x, y, z, w; and a shift, applied after the rotation. Between keyframes it turns and shifts
    /// about one axis at constant rates ("screw", the default), goes in a straight line with a turn at
    /// constant rate ("linear"), or jumps ("step").
    pub fn through(
        times: &[f64],
        rotations: &[f64],
        translations: &[f64],
        #[wasm_bindgen(unchecked_param_type = "'screw' | 'linear' | 'step' | undefined")] between: Option<
            String,
        >,
    ) -> Result<Self, Refusal> {
        let between = between.map(|text| text.parse()).transpose();
        let between: Between = between.map_err(|error| Refusal::of("between", error))?.unwrap_or_default();
        let (turns, shifts) = (rotations.as_chunks().0, translations.as_chunks().0);
        for (key, found, each) in [("rotations", rotations.len(), 4), ("translations", translations.len(), 3)]
        {
            if found != each * times.len() {
                return Err(Refusal::of(key, format!("{found} numbers for {} times", times.len())));
            }
        }
        let all = times.iter().zip(turns.iter().zip(shifts));
        let keyframe =
            |(&time, (&rotation, &shift))| Keyframe { time, rotation, translation: DVec3::from_array(shift) };
        let keyframes: Vec<Keyframe> = all.map(keyframe).collect();
        let motion = closefit::Motion::through(&keyframes, between, [1.0; 3]);
        Ok(Self(motion.map_err(|error| Refusal::of("times", error))?))
    }
}

/// The first time at which two moving meshes come within half the precision.
#[wasm_bindgen(getter_with_clone)]
pub struct TimeOfImpact {
    /// They are apart until then.
    #[wasm_bindgen(readonly)]
    pub after: f64,
    /// They are near at this time.
    #[wasm_bindgen(readonly)]
    pub before: f64,
    /// The point of contact at `before`.
    #[wasm_bindgen(readonly)]
    pub point: Vec<f64>,
    /// Unit vector from a to b.
    #[wasm_bindgen(readonly)]
    pub normal: Vec<f64>,
    /// A triangle of a and one of b.
    #[wasm_bindgen(readonly)]
    pub triangles: Vec<u32>,
    /// The closest features: "edge/edge", "vertex/face" or "face/vertex".
    #[wasm_bindgen(readonly)]
    pub feature: String,
    /// True when they are near from the start.
    #[wasm_bindgen(readonly, js_name = startContact)]
    pub start_contact: bool,
}

/// Returns when two moving meshes first come within half the precision of each other; undefined if they
/// never do between the first keyframe and the last. No contact is missed, however brief it is and however
/// thin the meshes are.
#[wasm_bindgen(js_name = timeOfImpact)]
pub fn time_of_impact(
    a: &Tree,
    #[wasm_bindgen(js_name = motionA)] motion_a: &Motion,
    b: &Tree,
    #[wasm_bindgen(js_name = motionB)] motion_b: &Motion,
    precision: f64,
) -> Result<Option<TimeOfImpact>, Refusal> {
    let (a, b) = (a.shape().along(&motion_a.0), b.shape().along(&motion_b.0));
    let found = closefit::time_of_impact(&a, &b, precision);
    let found = found.map_err(|error| Refusal::of("precision", error))?;
    Ok(found.map(|found| {
        let (first, touch) = (&found.first, &found.first.touch);
        TimeOfImpact {
            after: first.after,
            before: first.before,
            point: touch.point.to_array().to_vec(),
            normal: touch.normal.to_array().to_vec(),
            triangles: touch.triangles.to_vec(),
            feature: touch.feature.name().to_owned(),
            start_contact: found.at_start,
        }
    }))
}
