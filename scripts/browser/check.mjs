// Opens pages in headless Chromium on a phone and on a desk, light and dark, and fails when a page asks for
// anything, logs an error, is wider than its screen, holds an element that could act, or breaks a rule of axe-core of
// serious or critical impact. The page of the hostile suite must show its texts as they are.
//
// Usage: node check.mjs CHROMIUM FOLDER PAGE...   (screenshots go to FOLDER)
import { chromium } from "playwright-core";
import axe from "axe-core";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [executablePath, folder, ...pages] = process.argv.slice(2);
if (pages.length === 0) {
  console.error("usage: node check.mjs CHROMIUM FOLDER PAGE...");
  process.exit(2);
}
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const problems = [];

// What a report has no use for; a server's text that became one of these got through.
const ACTING = "script,img,iframe,object,embed,link,base,form,input,button,video,audio,style:not(head style),a[href^='javascript']";
// As hostile/server.mjs wrote it, with what cannot be seen told by its code.
const HOSTILE = [
  "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">",
  "<style>*{display:none}</style>\u27e8U+202E\u27e9gnp.exe\u27e8U+2066\u27e9\u27e8U+0000\u27e9\u27e8U+001B\u27e9[31mred",
  "&lt;b&gt; [l](http://127.0.0.1:9/) `code` | ",
];

async function look(file, width, colorScheme) {
  const url = pathToFileURL(path.resolve(file)).href;
  const name = `${path.basename(path.dirname(path.resolve(file)))}-${width}-${colorScheme}`;
  const say = (text) => problems.push(`${file} at ${width} px, ${colorScheme}: ${text}`);
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true });
  const page = await context.newPage();
  page.on("request", (request) => request.url() !== url && say(`asks for ${request.url()}`));
  page.on("console", (message) => message.type() === "error" && say(`logs ${message.text()}`));
  page.on("pageerror", (error) => say(`fails with ${error}`));
  await page.goto(url);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  // What is folded must be sound too; a few are enough where there are hundreds.
  await page.$$eval("details", (all) => all.slice(0, 12).forEach((one) => (one.open = true)));
  const acting = await page.$$eval(ACTING, (all) => all.slice(0, 3).map((one) => one.outerHTML.slice(0, 200)));
  acting.forEach((html) => say(`holds ${html}`));
  if (name.startsWith("hostile")) {
    // An error is shown as its JSON, in which some of this is escaped.
    const all = await page.$$eval("details.body pre", (all) => all.map((one) => one.textContent));
    const bodies = all.filter((body) => body.includes("text of the page"));
    if (bodies.length === 0 || bodies.length === all.length) say("shows no kept result, or no kept error");
    const text = await page.evaluate(() => document.body.innerText);
    for (const part of HOSTILE) {
      if (!text.includes(part.trimEnd())) say(`does not show ${JSON.stringify(part)}`);
      if (!bodies.every((body) => body.includes(part))) say(`does not show ${JSON.stringify(part)} in a result`);
    }
    if ((await page.title()) === "run") say("ran a server's text");
  }
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  if (wide > room) say(`is ${wide} px wide`);
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  if (found.passes.length === 0) say("axe-core looked at nothing");
  for (const rule of found.violations.filter((rule) => ["serious", "critical"].includes(rule.impact))) {
    say(`${rule.id} (${rule.impact}): ${rule.help}; ${rule.nodes.slice(0, 3).map((node) => node.html).join(" ")}`);
  }
  await context.close();
}

let views = 0;
for (const file of pages) {
  for (const width of [390, 1200]) {
    for (const scheme of ["light", "dark"]) {
      // A page of traces is long and all of one kind: two views of four.
      if (path.basename(file).startsWith("traces-") && (width === 390) === (scheme === "dark")) continue;
      await look(file, width, scheme);
      views += 1;
    }
  }
}
await browser.close();
problems.forEach((problem) => console.error(problem));
console.log(`${views} views of ${pages.length} pages, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
