// Opens pages in headless Chromium on a phone and on a desk, light and dark, and fails when a page asks for
// anything, logs an error, is wider than its screen, or breaks a rule of axe-core of serious or critical impact.
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
  await page.$$eval("details", (all) => all.slice(0, 40).forEach((one) => (one.open = true)));
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

for (const file of pages) {
  for (const width of [390, 1200]) {
    for (const scheme of ["light", "dark"]) await look(file, width, scheme);
  }
}
await browser.close();
problems.forEach((problem) => console.error(problem));
console.log(`${pages.length * 4} views of ${pages.length} pages, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
