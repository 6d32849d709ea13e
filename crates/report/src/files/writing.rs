//! The state of the writing of files, shared with threads that show it or stop it.

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};

/// Files are being made under temporary names, and may still be given up.
const OPEN: u8 = 0;
/// The writers are to give up.
const STOPPED: u8 = 1;
/// Files have begun to appear under their names, and all will.
const APPEARING: u8 = 2;

/// The state of the writing of files. It can be stopped until the first file appears under its name.
#[derive(Debug, Default)]
pub struct Writing {
    state: AtomicU8,
    bytes: AtomicU64,
}

impl Writing {
    /// The state before anything is written.
    pub const fn new() -> Self {
        Self { state: AtomicU8::new(OPEN), bytes: AtomicU64::new(0) }
    }

    /// Makes the writers stop at their next piece and leave nothing behind. Returns false if it is too late
    /// for that: files appear, or have appeared.
    pub fn stop(&self) -> bool {
        self.leave_open(STOPPED)
    }

    /// Returns the number of bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Lets the files appear. Returns false if the writers were stopped before.
    pub(super) fn appear(&self) -> bool {
        self.leave_open(APPEARING)
    }

    /// True once it is stopped.
    pub fn is_stopped(&self) -> bool {
        self.state.load(Ordering::SeqCst) == STOPPED
    }

    /// Whoever leaves the first state decides about the second. Returns true if it is `next`.
    fn leave_open(&self, next: u8) -> bool {
        let left = self.state.compare_exchange(OPEN, next, Ordering::SeqCst, Ordering::SeqCst);
        left.is_ok() || left == Err(next)
    }
}

/// Most bytes written at once.
const PIECE: usize = 1 << 20;

/// Bytes after which they are put on the disk: a thread that waits for the disk cannot be stopped, and the
/// more is waiting to be put there, the longer it waits.
const PORTION: usize = 32 << 20;

/// A writer to a file, piece by piece. While a thread of its own waits for the disk to take a portion, the
/// next one is made and written.
pub(super) struct Pieces<'a> {
    file: &'a mut File,
    writing: &'a Writing,
    /// Bytes of the portion that is being written.
    waiting: usize,
    /// The thread that puts what was written before on the disk.
    syncing: Option<JoinHandle<io::Result<()>>>,
}

impl<'a> Pieces<'a> {
    pub fn new(file: &'a mut File, writing: &'a Writing) -> Self {
        Self { file, writing, waiting: 0, syncing: None }
    }

    /// Puts the whole file on the disk.
    pub fn finish(mut self) -> io::Result<()> {
        self.wait()?;
        self.file.sync_all()
    }

    /// Begins to put on the disk what is written so far.
    fn sync(&mut self) -> io::Result<()> {
        self.wait()?;
        let file = self.file.try_clone()?;
        match Builder::new().spawn(move || file.sync_data()) {
            Ok(thread) => self.syncing = Some(thread),
            Err(_) => self.file.sync_data()?,
        }
        Ok(())
    }

    /// Waits for the disk to take what it was given.
    fn wait(&mut self) -> io::Result<()> {
        self.syncing.take().map_or(Ok(()), |thread| thread.join().expect("it does not panic"))
    }
}

impl Drop for Pieces<'_> {
    fn drop(&mut self) {
        let _ = self.wait();
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.writing.is_stopped() {
            return Err(io::Error::other("stopped")); // Not `Interrupted`, after which writers try again.
        }
        let written = self.file.write(&bytes[..bytes.len().min(PIECE)])?;
        self.writing.bytes.fetch_add(written as u64, Ordering::Relaxed);
        self.waiting += written;
        if self.waiting >= PORTION {
            self.sync()?;
            self.waiting = 0;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_first_decides() {
        let writing = Writing::new();
        assert!(writing.stop() && writing.stop() && writing.is_stopped());
        assert!(!writing.appear());
        let writing = Writing::new();
        assert!(writing.appear() && writing.appear(), "several times in a run");
        assert!(!writing.stop() && !writing.is_stopped());
    }

    #[test]
    fn a_large_file_is_written_in_pieces_and_stopped_between_them() {
        let contents: Vec<u8> = (0..PORTION + PIECE / 2).map(|i| (i % 251) as u8).collect();
        let writing = Writing::new();
        let mut file = tempfile::tempfile().unwrap();
        let mut pieces = Pieces::new(&mut file, &writing);
        assert_eq!(pieces.write(&contents).unwrap(), PIECE);
        pieces.write_all(&contents[PIECE..]).unwrap();
        assert_eq!(writing.bytes(), contents.len() as u64);
        assert!(writing.stop());
        pieces.write_all(b"more").unwrap_err();
        drop(pieces);
        let mut read = Vec::new();
        io::Seek::rewind(&mut file).unwrap();
        io::Read::read_to_end(&mut file, &mut read).unwrap();
        assert!(read == contents);
    }
}
