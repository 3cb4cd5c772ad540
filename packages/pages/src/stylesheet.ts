/**
 * The style of every page. It is inline, so that the pages need no second request. Colours meet WCAG 2.2 AA in both schemes
 * (§1.4.3 for text, §1.4.11 for controls), targets are 44 px high (§2.5.8), and directions are logical, for right-to-left
 * languages.
 */
export const stylesheet = `
:root {
  color-scheme: light dark; --radius: 1.25rem;
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif;
  --ground: #eef2f0; --card: #ffffff; --text: #14201b; --quiet: #52615a; --line: #d5ddd9; --control: #6f7f77;
  --accent: #0b6a4f; --accent-text: #ffffff; --accent-hover: #085540; --tint: #e3f1eb; --tint-hover: #d0e8dd;
  --warning: #a32a16; --warning-tint: #fcedea;
  --shadow: 0 1px 2px rgb(15 40 30 / 8%), 0 12px 32px rgb(15 40 30 / 9%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1311; --card: #161f1b; --text: #e7efeb; --quiet: #a7b6af; --line: #2c3934; --control: #7c8d85;
    --accent: #66d5ac; --accent-text: #05261a; --accent-hover: #8be3c3; --tint: #1c3129; --tint-hover: #254136;
    --warning: #ffb1a3; --warning-tint: #36201c;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px rgb(0 0 0 / 30%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; align-content: center; justify-items: center; gap: 1.25rem;
  padding: 2rem 1rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 var(--font);
}
main {
  width: 100%; max-width: 27rem; padding: 2.5rem 2.25rem; overflow-wrap: anywhere;
  background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow);
}
a { color: var(--accent); }
.brand { margin-block-end: 1.5rem; text-align: center; font-weight: 650; }
.brand img { display: block; margin-inline: auto; max-inline-size: 100%; max-block-size: 3rem; }
.other { margin-block-start: 1.25rem; text-align: center; }
footer { font-size: .875rem; }
footer ul { display: flex; flex-wrap: wrap; justify-content: center; gap: 0 1.25rem; margin: 0; padding: 0; list-style: none; }
footer a { display: inline-block; padding-block: .75rem; color: var(--quiet); }
header { text-align: center; margin-block-end: 1.75rem; }
.tile {
  display: inline-grid; place-items: center; inline-size: 3.5rem; block-size: 3.5rem; margin-block-end: 1.125rem;
  border-radius: calc(var(--radius) * .8); background: var(--tint); color: var(--accent);
  font-size: 1.625rem; font-weight: 650; line-height: 1;
}
.tile img { inline-size: 100%; block-size: 100%; object-fit: contain; border-radius: inherit; }
.tile .icon { inline-size: 1.75rem; block-size: 1.75rem; }
.warning { background: var(--warning-tint); color: var(--warning); }
.icon {
  flex: none; inline-size: 1.25rem; block-size: 1.25rem;
  fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round;
}
[dir=rtl] .leave { transform: scaleX(-1); }
h1 { margin: 0; font-size: 1.4375rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h1 .name { display: inline-block; max-inline-size: 100%; }
p { margin: 0; }
p + p { margin-block-start: .75rem; }
header p { margin-block-start: .375rem; color: var(--quiet); }
header p a, .other a { display: inline-block; padding-block: .625rem; }
header p .name { color: var(--text); font-weight: 550; }
.fine { color: var(--quiet); font-size: .875rem; }
.field .fine { margin-block-start: .375rem; }
.notice .icon { vertical-align: text-bottom; color: var(--warning); }
.links { margin-block-start: .75rem; }
.links ul { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0; padding: 0; list-style: none; }
.links a { display: inline-block; padding-block: .625rem; }
.fine .name { color: var(--text); font-weight: 600; }
code { font: .9375em ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; color: var(--text); }
.field { margin-block-end: 1.125rem; }
.field label { display: block; margin-block-end: .375rem; font-size: .9375rem; font-weight: 550; }
.field input {
  display: block; inline-size: 100%; min-block-size: 3rem; padding: .5rem .875rem; border: 1px solid var(--control);
  border-radius: calc(var(--radius) / 2); background: var(--card); color: var(--text); font: inherit;
}
button, .alternatives a {
  display: flex; align-items: center; justify-content: center; gap: .5rem; inline-size: 100%; min-block-size: 3rem;
  padding: .5rem 1rem; border: 1.5px solid var(--accent); border-radius: calc(var(--radius) / 2);
  background: var(--tint); color: var(--accent);
  font: inherit; font-weight: 600; cursor: pointer;
}
button:hover, .alternatives a:hover { background: var(--tint-hover); }
.alternatives { margin-block-start: 1.5rem; padding-block-start: 1.5rem; border-block-start: 1px solid var(--line); }
.alternatives a { margin-block-end: .5rem; text-decoration: none; }
.primary { margin-block-start: 1.5rem; background: var(--accent); color: var(--accent-text); }
.primary:hover { background: var(--accent-hover); }
.primary + button { margin-block-start: .5rem; border-color: transparent; background: none; }
.primary + button:hover { background: var(--tint); }
[name=passkey] + button { margin-block-start: .75rem; }
.choice {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin-block-start: 1.5rem;
}
.choice.long { grid-template-columns: 1fr; }
.choice .primary { margin-block-start: 0; }
:is(a, button, input):focus-visible, .notice:focus-within { outline: 3px solid var(--accent); outline-offset: 2px; }
.notice {
  margin-block-end: 1.5rem; padding: .875rem 1rem; border-radius: calc(var(--radius) * .6);
  background: var(--warning-tint); text-align: start;
}
.notice:focus-within { outline-color: var(--warning); outline-width: 2px; }
.notice h2 {
  outline: 0; display: flex; align-items: center; gap: .5rem; margin: 0;
  color: var(--warning); font-size: 1rem; font-weight: 650;
}
.notice p { margin-block-start: .25rem; font-size: .9375rem; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-inline-size: 0; }
legend { padding: 0; margin-block-end: .5rem; font-size: .9375rem; font-weight: 550; }
.scopes { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: calc(var(--radius) * .6); }
.scopes:empty { display: none; }
.scopes li + li { border-block-start: 1px solid var(--line); }
.row { display: flex; align-items: flex-start; gap: .75rem; min-block-size: 2.75rem; padding: .625rem .875rem; }
label.row { cursor: pointer; }
.row .icon { margin-block-start: .125rem; color: var(--accent); }
.row input { flex: none; inline-size: 1.25rem; block-size: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent); }
.entry { flex-wrap: wrap; justify-content: space-between; }
.entry > div { flex: 1 1 10rem; }
.entry strong { font-weight: 550; }
.entry .tile { flex: none; inline-size: 2.75rem; block-size: 2.75rem; margin: 0; font-size: 1.25rem; }
.entry button { inline-size: auto; min-block-size: 2.75rem; margin-block: .125rem; }
@media (min-width: 64rem) {
  main:has(.columns) { max-width: 60rem; }
  .columns { display: grid; grid-template-columns: 1fr 1fr; gap: 0 2rem; align-items: start; }
}
section { margin-block-end: 1.75rem; }
section h2 { margin: 0 0 .5rem; font-size: 1rem; font-weight: 650; }
.row small { display: block; color: var(--quiet); font-size: .875rem; }
@media (max-width: 30rem) {
  body { padding: 0; align-content: start; background: var(--card); }
  main { padding: 2rem 1.25rem; border: 0; border-radius: 0; box-shadow: none; }
}
`

/** The hash for the policy (CSP 3 §2.3.1). It is a constant, so that no page waits for a digest; a test checks it. */
export const stylesheetHash = 'sha256-eG2fo8I3ZX+guGkqjpTAug7C+NIsUUBqb6CA25zrXeo='
