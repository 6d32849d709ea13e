//! The records of a file in the exchange format of STEP (ISO 10303-21), found without looking into them.
//!
//! The kernel drops what it cannot parse, says so on stderr and goes on. Here a file is whole or refused.

use std::collections::HashMap;

use crate::error::Refused;

/// The first words of every file.
const BEGIN: &[u8] = b"ISO-10303-21";
/// The last words.
const END: &[u8] = b"END-ISO-10303-21";

/// One record, `#12=IFCWALL(...);`.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// The number after `#`.
    pub id: u32,
    /// The name of its entity, an index of [`Records::kinds`].
    pub kind: u32,
    /// The begin of its arguments in the text, without the outer parentheses, and their end.
    pub from: usize,
    pub to: usize,
}

/// The records of a file.
pub struct Records<'a> {
    pub text: &'a [u8],
    /// The arguments of FILE_SCHEMA in the header.
    pub schema: &'a [u8],
    /// All names of entities, in capitals, in the order in which they come.
    pub kinds: Vec<String>,
    /// Ascending by id.
    records: Vec<Record>,
}

impl<'a> Records<'a> {
    /// Finds all records.
    ///
    /// # Errors
    /// If the text is no such file, is cut short, has bytes that belong to no record, or two records of one
    /// number.
    pub fn of(text: &'a [u8]) -> Result<Self, Refused> {
        let start = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let mut scan = Scan { text, at: start };
        if !scan.takes(BEGIN) {
            return Err(Refused::file("not an IFC file: it does not begin with ISO-10303-21"));
        }
        let mut found =
            Self { text, schema: &[], kinds: Vec::new(), records: Vec::with_capacity(text.len() / 64) };
        let mut kinds = HashMap::new();
        scan.end_of_statement()?;
        loop {
            scan.skip_space()?;
            if scan.takes(END) {
                scan.end_of_statement()?;
                break;
            }
            if scan.peek() == Some(b'#') {
                found.add_record(&mut scan, &mut kinds)?;
            } else {
                found.skip_statement(&mut scan)?;
            }
        }
        found.records.sort_by_key(|record| record.id);
        match found.records.windows(2).find(|pair| pair[0].id == pair[1].id) {
            Some(pair) => {
                Err(Refused::at(format!("#{}", pair[0].id), "there are two records of this number"))
            }
            None => Ok(found),
        }
    }

    /// Takes a record at its `#`.
    fn add_record(&mut self, scan: &mut Scan<'a>, kinds: &mut HashMap<&'a [u8], u32>) -> Result<(), Refused> {
        let id = scan.id()?;
        scan.skip_space()?;
        if !scan.takes(b"=") {
            return Err(scan.error(format!("#{id} has no '='")));
        }
        scan.skip_space()?;
        let name = scan.word();
        scan.skip_space()?;
        let (from, to) = scan.parentheses()?;
        scan.end_of_statement()?;
        let next = self.kinds.len() as u32;
        let kind = *kinds.entry(name).or_insert(next);
        if kind == next {
            self.kinds.push(String::from_utf8_lossy(name).to_uppercase());
        }
        self.records.push(Record { id, kind, from, to });
        Ok(())
    }

    /// Passes a statement that is no record, such as `HEADER;`, and keeps the schema.
    fn skip_statement(&mut self, scan: &mut Scan<'a>) -> Result<(), Refused> {
        let word = scan.word();
        if word.is_empty() {
            return Err(scan.error(match scan.peek() {
                None => return Err(cut_short()),
                Some(byte) => format!("'{}' where a record should begin", byte.escape_ascii()),
            }));
        }
        scan.skip_space()?;
        if scan.peek() == Some(b'(') {
            let (from, to) = scan.parentheses()?;
            if word.eq_ignore_ascii_case(b"FILE_SCHEMA") {
                self.schema = &self.text[from..to];
            }
        }
        scan.end_of_statement()
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns all records, ascending by number.
    pub fn all(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    /// Returns the record of a number.
    pub fn get(&self, id: u32) -> Option<&Record> {
        self.records.binary_search_by_key(&id, |record| record.id).ok().map(|i| &self.records[i])
    }

    /// Returns the record of a number, and its place in the order of [`Self::all`].
    pub fn place(&self, id: u32) -> Option<usize> {
        self.records.binary_search_by_key(&id, |record| record.id).ok()
    }

    /// Returns the name of a record's entity, in capitals.
    pub fn kind(&self, record: &Record) -> &str {
        &self.kinds[record.kind as usize]
    }

    /// Returns the arguments of a record.
    pub fn arguments(&self, record: &Record) -> &'a [u8] {
        &self.text[record.from..record.to]
    }
}

fn cut_short() -> Refused {
    Refused::file("cut short: it has no END-ISO-10303-21")
}

/// A place in a text.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Passes these words if they come next.
    fn takes(&mut self, words: &[u8]) -> bool {
        let takes = self.text[self.at..].starts_with(words);
        self.at += if takes { words.len() } else { 0 };
        takes
    }

    /// Passes blanks and comments.
    fn skip_space(&mut self) -> Result<(), Refused> {
        while let Some(byte) = self.peek() {
            match byte {
                _ if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
                b'/' if self.text[self.at..].starts_with(b"/*") => {
                    let rest = &self.text[self.at + 2..];
                    let end = rest.windows(2).position(|two| two == b"*/").ok_or_else(cut_short)?;
                    self.at += end + 4;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Takes letters, digits and lines; `!` begins words of users.
    fn word(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'!');
        let length = rest.iter().position(|byte| !is_of_word(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Takes `#` and a number.
    fn id(&mut self) -> Result<u32, Refused> {
        self.at += 1;
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = &self.text[self.at..self.at + digits];
        self.at += digits;
        number(text).ok_or_else(|| {
            let shown = String::from_utf8_lossy(&text[..text.len().min(20)]);
            self.error(format!("#{shown} is no number from 0 to {}", u32::MAX))
        })
    }

    /// Passes what is in parentheses, and returns where it begins and ends.
    fn parentheses(&mut self) -> Result<(usize, usize), Refused> {
        if !self.takes(b"(") {
            return Err(match self.peek() {
                None => cut_short(),
                Some(_) => self.error("'(' is missing".to_owned()),
            });
        }
        let (from, mut depth) = (self.at, 1_usize);
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\'' | b'"' => self.skip_quoted(byte)?,
                b'/' if self.peek() == Some(b'*') => {
                    self.at -= 1;
                    self.skip_space()?;
                }
                b';' => {
                    self.at -= 1;
                    return Err(self.error("';' inside parentheses".to_owned()));
                }
                _ => {}
            }
            if depth == 0 {
                return Ok((from, self.at - 1));
            }
        }
        Err(cut_short())
    }

    /// Passes a text or a binary number after its first quote. A quote in a text is written twice, so it
    /// begins another text at once.
    fn skip_quoted(&mut self, quote: u8) -> Result<(), Refused> {
        let end = self.text[self.at..].iter().position(|&byte| byte == quote).ok_or_else(cut_short)?;
        self.at += end + 1;
        Ok(())
    }

    fn end_of_statement(&mut self) -> Result<(), Refused> {
        self.skip_space()?;
        if self.takes(b";") {
            return Ok(());
        }
        Err(match self.peek() {
            None => cut_short(),
            Some(_) => self.error("';' is missing".to_owned()),
        })
    }

    fn error(&self, why: String) -> Refused {
        let line =
            1 + self.text[..self.at.min(self.text.len())].iter().filter(|&&byte| byte == b'\n').count();
        Refused::at(format!("line {line}"), why)
    }
}

/// Returns the number that digits stand for.
pub fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok().filter(|text| text.len() <= 20)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(data: &str) -> Result<String, String> {
        let text =
            format!("ISO-10303-21;HEADER;FILE_SCHEMA(('IFC4'));ENDSEC;DATA;{data}ENDSEC;END-ISO-10303-21;");
        let records = Records::of(text.as_bytes()).map_err(|refused| refused.to_string())?;
        assert_eq!(records.schema, b"('IFC4')");
        let shown = records.all().map(|record| {
            let arguments = String::from_utf8_lossy(records.arguments(record));
            format!("{} {} {arguments}", record.id, records.kind(record))
        });
        Ok(shown.collect::<Vec<_>>().join(" | "))
    }

    #[test]
    fn records_end_where_their_parentheses_do() {
        assert_eq!(
            read("#2=A();#1 = b_2\n( 'x) ; ''#3=C();' , (1.,(2)) ) ;").unwrap(),
            "1 B_2  'x) ; ''#3=C();' , (1.,(2))  | 2 A "
        );
        assert_eq!(read("/* #9=A(); ' */#1=A(/* ) */'/*',\"0F;\")/**/;").unwrap(), "1 A /* ) */'/*',\"0F;\"");
        assert_eq!(read("#1=(A(1)B(2));").unwrap(), "1  A(1)B(2)");
        assert_eq!(read("ENDSEC;DATA;#1=A();").unwrap(), "1 A ");
    }

    #[test]
    fn what_is_no_record_is_told_with_its_line() {
        for (data, expected) in [
            ("#1=A()", "line 1: ';' is missing"),
            ("\n#1 A();", "line 2: #1 has no '='"),
            ("#=A();", "line 1: # is no number from 0 to 4294967295"),
            ("#1=A;", "line 1: '(' is missing"),
            ("#1=A((;", "line 1: ';' inside parentheses"),
            ("#1=A('x;", "cut short: it has no END-ISO-10303-21"),
            ("#1=A(/*);", "cut short: it has no END-ISO-10303-21"),
            ("#7=A();#7=B();", "#7: there are two records of this number"),
            ("?", "line 1: '?' where a record should begin"),
        ] {
            assert_eq!(read(data).unwrap_err(), expected, "{data}");
        }
    }

    #[test]
    fn every_cut_is_told() {
        let text =
            b"ISO-10303-21;HEADER;FILE_SCHEMA(('IFC4'));ENDSEC;DATA;#1=A('x',(1));ENDSEC;END-ISO-10303-21;";
        assert!(Records::of(text).is_ok());
        for end in 0..text.len() {
            assert!(Records::of(&text[..end]).is_err(), "{end}");
        }
    }
}
