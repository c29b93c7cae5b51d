//! Results that a run was asked to keep: files named by what they hold, beside the journal.

use crate::text::sha256_hex;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The kept results of one run: `bodies/ab/<sha256>` in its folder, files 0600 in folders 0700.
#[derive(Debug, Clone)]
pub struct Bodies(PathBuf);

impl Bodies {
    /// Those of the run in this folder, whether or not it has any.
    pub fn of(run: &Path) -> Self {
        Self(run.to_owned())
    }

    pub fn exist(&self) -> bool {
        self.0.join("bodies").is_dir()
    }

    /// Where a body stands, from the run's folder on; `None` for what is no SHA-256: a journal that others wrote may
    /// name anything.
    pub fn place(sha256: &str) -> Option<PathBuf> {
        let is_hash =
            sha256.len() == 64 && sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        is_hash.then(|| ["bodies", &sha256[..2], sha256].iter().collect())
    }

    /// Writes a body, and says its SHA-256. One that is there already is not written again; a file is there whole or
    /// not at all.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn keep(&self, body: &[u8]) -> io::Result<String> {
        let sha256 = sha256_hex(body);
        let Some(path) = Self::place(&sha256).map(|place| self.0.join(place)) else { return Ok(sha256) };
        if path.is_file() {
            return Ok(sha256);
        }
        let folder = path.parent().unwrap_or(&self.0);
        let told = |error: io::Error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display()));
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(told)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(told)?;
        file.write_all(body).map_err(told)?;
        file.persist(&path).map_err(|error| told(error.error))?;
        Ok(sha256)
    }

    /// A body up to so many bytes. `Ok(None)`: it is larger.
    ///
    /// # Errors
    /// When it is not there, cannot be read, or is not what its name says.
    pub fn read(&self, sha256: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        let place = Self::place(sha256).ok_or_else(|| invalid("its name is no SHA-256"))?;
        let path = self.0.join(place);
        if std::fs::metadata(&path)?.len() > most {
            return Ok(None);
        }
        let body = std::fs::read(&path)?;
        if sha256_hex(&body) != sha256 {
            return Err(invalid("it is not what its name says"));
        }
        Ok(Some(body))
    }

    /// Takes a body over from another run. One that is not there stays away: the report says so.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn take(&self, from: &Self, sha256: &str) -> io::Result<()> {
        match from.read(sha256, u64::MAX) {
            Ok(Some(body)) => self.keep(&body).map(drop),
            Ok(None) => Ok(()),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidData) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// The same of all that another run has.
    ///
    /// # Errors
    /// As [`Bodies::take`].
    pub fn take_all(&self, from: &Self) -> io::Result<()> {
        if !from.exist() {
            return Ok(());
        }
        for folder in std::fs::read_dir(from.0.join("bodies"))? {
            let folder = folder?.path();
            if !folder.is_dir() {
                continue;
            }
            for body in std::fs::read_dir(folder)? {
                self.take(from, &body?.file_name().to_string_lossy())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_found_by_its_hash_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let bodies = Bodies::of(folder.path());
        let sha256 = bodies.keep(b"{}").unwrap();
        assert_eq!(bodies.keep(b"{}").unwrap(), sha256);
        assert_eq!(bodies.read(&sha256, 2).unwrap().as_deref(), Some(&b"{}"[..]));
        assert_eq!(bodies.read(&sha256, 1).unwrap(), None, "too large");
        for hostile in ["../../etc/passwd", "", &sha256.to_uppercase(), &"/".repeat(64)] {
            assert_eq!(bodies.read(hostile, 9).unwrap_err().kind(), io::ErrorKind::InvalidData, "{hostile}");
        }
        std::fs::write(folder.path().join(Bodies::place(&sha256).unwrap()), "[]").unwrap();
        assert_eq!(bodies.read(&sha256, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn bodies_of_several_runs_stand_in_one() {
        let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let [a, b, both] = [0, 1, 2].map(|at| Bodies::of(folders[at].path()));
        let kept = [a.keep(b"a").unwrap(), b.keep(b"b").unwrap(), b.keep(b"a").unwrap()];
        std::fs::write(folders[1].path().join("bodies").join(&kept[1][..2]).join(".tmp1"), "half").unwrap();
        for from in [&a, &b] {
            both.take_all(from).unwrap();
        }
        let files = walkdir::WalkDir::new(folders[2].path())
            .into_iter()
            .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_type().is_file()));
        assert_eq!(files.count(), 2);
        assert_eq!(both.read(&kept[1], 9).unwrap().unwrap(), b"b");
    }
}
