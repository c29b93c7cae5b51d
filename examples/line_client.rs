//! A bare line client, the peer of `scripts/bench`: writes `tools/call` lines, reads lines, looks at nothing.
//!
//! Usage: `line_client CALLS SIZE -- COMMAND...`; prints calls a second.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (calls, size): (u64, u64) = (args[0].parse()?, args[1].parse()?);
    let mut child =
        Command::new(&args[3]).args(&args[4..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut to = child.stdin.take().ok_or("no stdin")?;
    let mut from = BufReader::with_capacity(1 << 16, child.stdout.take().ok_or("no stdout")?);
    let mut line = Vec::new();
    writeln!(
        to,
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"line","version":"0"}}}}}}"#
    )?;
    from.read_until(b'\n', &mut line)?;
    writeln!(to, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#)?;
    let started = Instant::now();
    for id in 1..=calls {
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"size\":{size}}}}}}}\n"
        );
        to.write_all(request.as_bytes())?;
        line.clear();
        from.read_until(b'\n', &mut line)?;
        assert!(line.len() as u64 > size, "a short answer");
    }
    let rate = calls as f64 / started.elapsed().as_secs_f64();
    drop(to);
    child.wait()?;
    writeln!(std::io::stdout(), "{rate:.0}")?;
    Ok(())
}
