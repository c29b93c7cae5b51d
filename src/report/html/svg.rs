//! Small pictures. Each has a title and a description, and a table beside it says the same.

use maud::{Markup, html};

/// A row of the forest plot: the delta with its interval on the spread of the same code.
pub struct Forest {
    pub delta: f64,
    /// Ends of the interval over cases.
    pub interval: Option<(f64, f64)>,
    /// Half the width of the band in which two runs of the same code lie.
    pub same_code: Option<f64>,
    pub mark: Mark,
    pub words: String,
}

/// The shape at the delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A circle.
    Better,
    /// A square.
    Worse,
    /// A hollow diamond.
    Same,
}

const WIDTH: f64 = 220.0;
const HEIGHT: f64 = 26.0;

impl Forest {
    pub fn draw(&self) -> Markup {
        let mut reach = self.delta.abs().max(self.same_code.unwrap_or(0.0));
        if let Some((low, high)) = self.interval {
            reach = reach.max(low.abs()).max(high.abs());
        }
        let x = |value: f64| {
            let share = if reach > 0.0 { value / reach } else { 0.0 };
            tenth(WIDTH / 2.0 + share * (WIDTH / 2.0 - 8.0))
        };
        let mid = HEIGHT / 2.0;
        html! {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img" {
                title { "change with its interval" }
                desc { (self.words) }
                @if let Some(band) = self.same_code {
                    rect class="bandfill" x=(x(-band)) y="3" width=(tenth(x(band) - x(-band)).max(1.0)) height=(HEIGHT - 6.0) {}
                }
                line class="zero" x1=(x(0.0)) y1="0" x2=(x(0.0)) y2=(HEIGHT) {}
                @if let Some((low, high)) = self.interval {
                    line class="candline" x1=(x(low)) y1=(mid) x2=(x(high)) y2=(mid) {}
                    line class="candline" x1=(x(low)) y1=(mid - 4.0) x2=(x(low)) y2=(mid + 4.0) {}
                    line class="candline" x1=(x(high)) y1=(mid - 4.0) x2=(x(high)) y2=(mid + 4.0) {}
                }
                (self.mark.at(x(self.delta), mid))
            }
        }
    }
}

impl Mark {
    fn at(self, x: f64, y: f64) -> Markup {
        html! {
            @match self {
                Self::Better => circle class="candfill" cx=(x) cy=(y) r="5" {},
                Self::Worse => rect class="candfill" x=(tenth(x - 5.0)) y=(tenth(y - 5.0)) width="10" height="10" {},
                Self::Same => path class="hollow" d={ "M" (tenth(x - 6.0)) " " (y) "l6-6 6 6-6 6z" } {},
            }
        }
    }
}

/// How far the largest results of a tool reach towards the limit, as shares of the longest bar or the limit.
pub struct Reach {
    pub largest: [f64; 2],
    pub limit: f64,
    pub words: String,
}

impl Reach {
    pub fn draw(&self) -> Markup {
        let x = |share: f64| tenth((WIDTH - 4.0) * share);
        html! {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img" {
                title { "largest results and the limit" }
                desc { (self.words) }
                rect class="basefill" x="0" y="3" width=(x(self.largest[0]).max(1.0)) height="9" {}
                rect class="candfill" x="0" y="14" width=(x(self.largest[1]).max(1.0)) height="9" rx="4" {}
                line class="limit" x1=(x(self.limit)) y1="0" x2=(x(self.limit)) y2=(HEIGHT) {}
            }
        }
    }
}

/// Bars of two sides, one pair a bin.
pub struct Bars<'b> {
    pub title: &'b str,
    pub words: String,
    /// Name of the bin, baseline, candidate.
    pub bins: &'b [(String, u64, u64)],
    /// A line before this bin, such as a limit.
    pub line_at: Option<f64>,
}

impl Bars<'_> {
    pub fn draw(&self) -> Markup {
        const TALL: f64 = 120.0;
        // Names of bins do not touch: a character of 12 px is about 7 px wide.
        let longest = self.bins.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        let bin = (longest as f64 * 7.0 + 6.0).max(44.0);
        let most = self.bins.iter().map(|(_, base, cand)| *base.max(cand)).max().unwrap_or(0).max(1) as f64;
        let width = bin * self.bins.len() as f64 + 8.0;
        let bar = |count: u64| tenth(count as f64 / most * TALL);
        html! {
            div class="scroll" tabindex="0" { svg viewBox={ "0 0 " (width) " " (TALL + 28.0) } width=(width) height=(TALL + 28.0) style={ "min-width:" (width) "px" } role="img" {
                title { (self.title) }
                desc { (self.words) }
                line class="axis" x1="0" y1=(TALL + 4.0) x2=(width) y2=(TALL + 4.0) {}
                @for (place, (name, base, cand)) in self.bins.iter().enumerate() {
                    @let left = bin * place as f64 + (bin - 32.0) / 2.0;
                    rect class="basefill" x=(left) y=(TALL + 4.0 - bar(*base)) width="15" height=(bar(*base)) {}
                    rect class="candfill" x=(left + 17.0) y=(TALL + 4.0 - bar(*cand)) width="15" height=(bar(*cand)) rx="4" {}
                    text x=(left + 16.0) y=(TALL + 20.0) text-anchor="middle" { (name) }
                }
                @if let Some(at) = self.line_at {
                    line class="limit" x1=(tenth(bin * at + 2.0)) y1="0" x2=(tenth(bin * at + 2.0)) y2=(TALL + 4.0) {}
                }
            } }
        }
    }
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
