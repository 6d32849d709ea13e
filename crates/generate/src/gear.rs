//! Involute spur gears, external and internal.

use std::f64::consts::{PI, TAU};

use super::outline::{Outline, polar, rounded};

/// Pressure angle, 20 degrees.
const PRESSURE_ANGLE: f64 = PI / 9.0;

/// Returns inv(a) = tan(a) - a for the pressure angle a of an involute at `radius`: the angle between the
/// point of the involute there and its foot on the base circle.
fn involute(base_radius: f64, radius: f64) -> f64 {
    let angle = libm::acos((base_radius / radius).min(1.0));
    libm::tan(angle) - angle
}

/// Parameters that the gears of one train share. Lengths in metres.
#[derive(Clone, Copy)]
pub(super) struct Train {
    /// Pitch diameter per tooth.
    pub(super) module: f64,
    /// Amount by which each tooth is thinner than half the pitch, which gives backlash.
    pub(super) thinning: f64,
    /// Number of points along a flank.
    pub(super) flank_points: u32,
}

impl Train {
    /// Returns the radius at which teeth of equal pitch meet.
    pub(super) fn pitch_radius(&self, teeth: u32) -> f64 {
        self.module * f64::from(teeth) / 2.0
    }

    /// Returns an external gear with a tooth centred on the x axis. Tips reach one module above the pitch
    /// circle and roots 1.25 modules below it; below the base circle the flanks are radial.
    pub(super) fn external(&self, teeth: u32) -> Outline {
        let pitch = self.pitch_radius(teeth);
        let base = pitch * libm::cos(PRESSURE_ANGLE);
        let half_at_base = self.half_tooth(teeth) + involute(base, pitch);
        let (root, tip) = (pitch - 1.25 * self.module, pitch + self.module);
        let mut radii = self.along_flank(root.max(base), tip);
        if root < base {
            radii.insert(0, root);
        }
        self.outline(teeth, &radii, |radius| half_at_base - involute(base, radius.max(base)))
    }

    /// Returns the hole of an internal gear with a tooth centred on the x axis. Its tips are cut to 0.8
    /// modules, because longer ones would meet the planets below their base circle.
    pub(super) fn internal(&self, teeth: u32) -> Outline {
        let pitch = self.pitch_radius(teeth);
        let base = pitch * libm::cos(PRESSURE_ANGLE);
        let half_at_base = self.half_tooth(teeth) - involute(base, pitch);
        let radii = self.along_flank(pitch + 1.25 * self.module, pitch - 0.8 * self.module);
        self.outline(teeth, &radii, |radius| half_at_base + involute(base, radius))
    }

    /// Returns half the angle of a tooth on the pitch circle.
    fn half_tooth(&self, teeth: u32) -> f64 {
        (PI * self.module / 2.0 - self.thinning) / 2.0 / self.pitch_radius(teeth)
    }

    fn along_flank(&self, root: f64, tip: f64) -> Vec<f64> {
        let last = f64::from(self.flank_points - 1);
        (0..self.flank_points).map(|i| root + (tip - root) * f64::from(i) / last).collect()
    }

    /// Builds one tooth after another: up one flank, over the tip and down the other flank.
    fn outline(&self, teeth: u32, radii: &[f64], half_angle: impl Fn(f64) -> f64) -> Outline {
        let mut points = Outline::new();
        for tooth in 0..teeth {
            let centre = TAU * f64::from(tooth) / f64::from(teeth);
            points.extend(radii.iter().map(|&r| rounded(polar(r, centre - half_angle(r)))));
            points.extend(radii.iter().rev().map(|&r| rounded(polar(r, centre + half_angle(r)))));
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRAIN: Train = Train { module: 0.002, thinning: 0.0, flank_points: 9 };

    #[test]
    fn teeth_are_half_a_pitch_thick_on_the_pitch_circle() {
        // By the definition of the involute, which unwinds a taut string from the base circle.
        let base = TRAIN.pitch_radius(24) * libm::cos(PRESSURE_ANGLE);
        for roll in [0.1_f64, 0.3, 0.5] {
            let (x, y) = (base * (roll.cos() + roll * roll.sin()), base * (roll.sin() - roll * roll.cos()));
            let unwound: f64 = y.atan2(x);
            assert!((involute(base, x.hypot(y)) - unwound).abs() < 1e-12, "{roll}");
        }
        let half = TRAIN.half_tooth(24);
        assert!((4.0 * half * 24.0 - TAU).abs() < 1e-12);
    }

    #[test]
    fn outlines_turn_once_and_keep_to_their_circles() {
        for (outline, lo, hi) in [(TRAIN.external(18), 15.5, 20.0), (TRAIN.internal(60), 58.4, 62.5)] {
            let n = outline.len();
            let turn: f64 = (0..n).map(|i| outline[i].angle_to(outline[(i + 1) % n])).sum();
            assert!((turn - TAU).abs() < 1e-6);
            let radii = outline.iter().map(|p| p.length() * 1000.0);
            let (least, most) = radii.fold((f64::MAX, 0.0_f64), |(a, b), r| (a.min(r), b.max(r)));
            assert!((least - lo).abs() < 1e-5 && (most - hi).abs() < 1e-5, "{least} {most}");
        }
    }
}
