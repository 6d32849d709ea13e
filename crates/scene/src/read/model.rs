//! Models: the names of a scene's files, in keys and wherever parts of several files are listed together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::check_text;
use super::error::{Fault, ReadError, clip};

/// Returns the model of a file: its name without the extension.
pub(super) fn model_of(file: &Path) -> Arc<str> {
    file.file_stem().unwrap_or_default().to_string_lossy().into()
}

/// Returns the model of each file of a scene. A user's name goes to the file that is given in the same words
/// or, if there is none, to all files with that file name.
///
/// # Errors
/// If a name refers to no file or to a file that already has another name, or if it is empty or too long.
pub(super) fn models_of(files: &[PathBuf], named: &[(String, PathBuf)]) -> Result<Vec<Arc<str>>, ReadError> {
    let mut chosen: Vec<Option<Arc<str>>> = vec![None; files.len()];
    for (name, file) in named {
        let refused = |fault| ReadError { file: file.display().to_string(), fault };
        if name.is_empty() {
            return Err(refused(Fault::Scene("the name of its model is empty".to_owned())));
        }
        check_text("model", name).map_err(refused)?;
        let exact = files.contains(file);
        let is_meant =
            |other: &PathBuf| if exact { other == file } else { other.file_name() == Some(file.as_os_str()) };
        let mut meant = chosen.iter_mut().zip(files).filter(|(_, other)| is_meant(other)).peekable();
        if meant.peek().is_none() {
            let why = format!("it is no file of the scene, so it cannot be the model '{}'", clip(name));
            return Err(refused(Fault::Scene(why)));
        }
        for (model, _) in meant {
            if let Some(other) = model.replace(name[..].into()) {
                if *other == **name {
                    let why = format!("it is given the model '{}' twice", clip(name));
                    return Err(refused(Fault::Scene(why)));
                }
                let why = format!("it cannot be both the model '{}' and '{}'", clip(&other), clip(name));
                return Err(refused(Fault::Scene(why)));
            }
        }
    }
    Ok(chosen.into_iter().zip(files).map(|(model, file)| model.unwrap_or_else(|| model_of(file))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(files: &[&str], named: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let named: Vec<_> =
            named.iter().map(|&(name, file)| (name.to_owned(), PathBuf::from(file))).collect();
        let models = models_of(&files, &named).map_err(|error| error.to_string())?;
        Ok(models.iter().map(|model| model.to_string()).collect())
    }

    #[test]
    fn a_model_is_called_as_its_file_or_as_the_user_says() {
        let files = ["rev7/A_rev7.glb", "E.v2.glb", "rev7/E.v2.glb"];
        assert_eq!(models(&files, &[]).unwrap(), ["A_rev7", "E.v2", "E.v2"]);
        assert_eq!(models(&files, &[("A", "A_rev7.glb"), ("E", "E.v2.glb")]).unwrap(), ["A", "E", "E.v2"]);
        assert_eq!(models(&["x/a.glb", "y/a.glb"], &[("A", "a.glb")]).unwrap(), ["A", "A"]);
    }

    #[test]
    fn names_that_go_nowhere_are_refused() {
        let refused = |named: &[(&str, &str)], expected: &str| {
            let message = models(&["a.glb", "b.glb"], named).unwrap_err();
            assert!(message.contains(expected), "{message}");
        };
        refused(&[("A", "x/a.glb")], "x/a.glb: it is no file of the scene");
        refused(&[("A", "a.glb"), ("B", "a.glb")], "a.glb: it cannot be both the model 'A' and 'B'");
        refused(&[("A", "a.glb"), ("A", "a.glb")], "a.glb: it is given the model 'A' twice");
        refused(&[("", "a.glb")], "a.glb: the name of its model is empty");
        refused(&[(&"n".repeat(2000), "a.glb")], "2000 bytes");
    }
}
