//! The name of a place in a document: JSON Pointer or TOML key.

use super::Form;

/// One step from a value to a part of it.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// The steps from the root, in the notation of the document's form.
pub fn render(form: Form, steps: &[Step<'_>]) -> String {
    let mut out = String::new();
    for step in steps {
        match (form, step) {
            (Form::Json, Step::Key(key)) => {
                out.push('/');
                out.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            (Form::Json, Step::Index(index)) => out.push_str(&format!("/{index}")),
            (Form::Toml, Step::Key(key)) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(&toml_key(key));
            }
            (Form::Toml, Step::Index(index)) => out.push_str(&format!("[{index}]")),
        }
    }
    out
}

fn toml_key(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { key.to_owned() } else { format!("{key:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_both_notations() {
        let steps = [Step::Key("tools"), Step::Key("a/b~c"), Step::Key("continue"), Step::Index(0)];
        assert_eq!(render(Form::Json, &steps), "/tools/a~1b~0c/continue/0");
        assert_eq!(render(Form::Toml, &steps), "tools.\"a/b~c\".continue[0]");
        assert_eq!(render(Form::Json, &[]), "");
    }
}
