//! Exact integers for what double-double cannot settle.
