//! The position of a parser in a text, and the lexemes that all parsers of the text form share.

use crate::dim::{Dim, Symbols, parse_dim};

/// A syntax error, or another reason why a text is no valid graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in bytes.
    pub column: usize,
    /// What was expected or found.
    pub message: String,
}

/// A position in a text.
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The symbols that are declared so far.
    pub symbols: &'a Symbols,
}

impl<'a> Cursor<'a> {
    /// The start of `text`.
    pub fn new(text: &'a str, symbols: &'a Symbols) -> Cursor<'a> {
        Cursor {
            text,
            at: 0,
            symbols,
        }
    }

    /// The same position with other symbols.
    pub fn with_symbols<'b>(&self, symbols: &'b Symbols) -> Cursor<'b>
    where
        'a: 'b,
    {
        Cursor {
            text: self.text,
            at: self.at,
            symbols,
        }
    }

    /// The offset in bytes from the start.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Moves to an offset that [`Cursor::offset`] gave.
    pub fn seek(&mut self, offset: usize) {
        self.at = offset;
    }

    /// The text from here on.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// An error at this position.
    pub fn error(&self, message: impl Into<String>) -> ParseError {
        let before = &self.text[..self.at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        ParseError {
            line: before.bytes().filter(|&b| b == b'\n').count() + 1,
            column: self.at - line_start + 1,
            message: message.into(),
        }
    }

    /// Skips spaces, line ends and `#` comments.
    pub fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// True if only spaces and comments are left.
    pub fn at_end(&mut self) -> bool {
        self.skip_blank();
        self.rest().is_empty()
    }

    /// Reads `token`, if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        self.skip_blank();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// True if `token` comes next.
    pub fn peek(&mut self, token: &str) -> bool {
        self.skip_blank();
        self.rest().starts_with(token)
    }

    /// Reads `token`.
    ///
    /// # Errors
    /// If something else comes next.
    pub fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.error(format!("expected `{token}`")))
        }
    }

    /// Reads the keyword `word`, but not a longer word that starts with it.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let start = self.at;
        if self.word().is_ok_and(|w| w == word) {
            return true;
        }
        self.at = start;
        false
    }

    /// Reads a name of letters, digits, `_` and `.`.
    ///
    /// # Errors
    /// If there is none.
    pub fn word(&mut self) -> Result<&'a str, ParseError> {
        self.skip_blank();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(rest.len());
        if end == 0 {
            return Err(self.error("expected a name"));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// Reads a decimal integer.
    ///
    /// # Errors
    /// If there is none, or it does not fit i64.
    pub fn integer(&mut self) -> Result<i64, ParseError> {
        self.skip_blank();
        let rest = self.rest();
        let digits_from = usize::from(rest.starts_with('-'));
        let end = rest[digits_from..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest.len(), |e| e + digits_from);
        let value = rest[..end]
            .parse()
            .map_err(|_| self.error("expected an integer of 64 bits"))?;
        self.at += end;
        Ok(value)
    }

    /// Reads an index or a count.
    ///
    /// # Errors
    /// As [`Cursor::integer`], or if it is negative.
    pub fn index(&mut self) -> Result<usize, ParseError> {
        let error = self.error("expected a number that is not negative");
        usize::try_from(self.integer()?).map_err(|_| error)
    }

    /// Reads `prefix` and the number right behind it: `%7`, `c3`.
    ///
    /// # Errors
    /// If something else comes next.
    pub fn id(&mut self, prefix: &str) -> Result<usize, ParseError> {
        self.expect(prefix)?;
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let value = rest[..end]
            .parse::<u32>()
            .map_err(|_| self.error(format!("expected a number behind `{prefix}`")))?;
        self.at += end;
        Ok(value as usize)
    }

    /// Reads a float as Rust prints it, or `inf`, `-inf`, `nan`, or `bits 7ff8..` for other NaNs.
    ///
    /// # Errors
    /// If there is none.
    pub fn float(&mut self) -> Result<f64, ParseError> {
        if self.eat("bits ") {
            let error = self.error("expected 16 hex digits");
            return u64::from_str_radix(self.word()?, 16)
                .map(f64::from_bits)
                .map_err(|_| error);
        }
        self.skip_blank();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+')))
            .unwrap_or(rest.len());
        let value = rest[..end]
            .parse()
            .map_err(|_| self.error("expected a float"))?;
        self.at += end;
        Ok(value)
    }

    /// Reads a string in double quotes, with Rust's escapes for `"`, `\`, line ends and control characters.
    ///
    /// # Errors
    /// If there is none, or it does not end.
    pub fn quoted(&mut self) -> Result<String, ParseError> {
        self.expect("\"")?;
        let mut out = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(out);
                }
                '\\' => {
                    out.push(unescape(&mut chars).ok_or_else(|| self.error("bad escape in text"))?)
                }
                _ => out.push(c),
            }
        }
        Err(self.error("the text has no closing quote"))
    }

    /// Reads a dim.
    ///
    /// # Errors
    /// As [`parse_dim`].
    pub fn dim(&mut self) -> Result<Dim, ParseError> {
        self.skip_blank();
        match parse_dim(self.rest(), self.symbols) {
            Ok((dim, used)) => {
                self.at += used;
                Ok(dim)
            }
            Err(e) => Err(self.error(e.to_string())),
        }
    }

    /// Reads `open item, item, .. close`, with any number of items.
    ///
    /// # Errors
    /// The errors of `item`, or a missing delimiter.
    pub fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }
}

fn unescape(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    match chars.next()?.1 {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        '0' => Some('\0'),
        'u' => {
            let hex: String = chars
                .map(|(_, c)| c)
                .skip_while(|&c| c == '{')
                .take_while(|&c| c != '}')
                .collect();
            char::from_u32(u32::from_str_radix(&hex, 16).ok()?)
        }
        c => Some(c),
    }
}
