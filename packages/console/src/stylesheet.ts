/**
 * The style of the console, after the stylesheet of the pages, whose colours and controls it uses. Directions are
 * logical, for languages that are written from right to left.
 */
export const consoleStyle = `
body { display: block; align-content: start; justify-items: stretch; padding: 0; background: var(--ground); }
.skip { position: absolute; inset-block-start: -10rem; inset-inline-start: 1rem; padding: .75rem 1rem; background: var(--card); }
.skip:focus { inset-block-start: .5rem; z-index: 1; }
.bar {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1.5rem;
  margin: 0; padding: .75rem 1.5rem; background: var(--card); border-block-end: 1px solid var(--line); text-align: start;
}
.bar p + p { margin: 0; }
.bar .brand { margin: 0; }
.bar .brand img { max-block-size: 2rem; }
.bar .who { color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere; }
nav { padding: 0 1rem; background: var(--card); border-block-end: 1px solid var(--line); }
nav ul { display: flex; flex-wrap: wrap; margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .75rem .625rem; color: var(--text); text-decoration: none; border-block-end: 3px solid transparent; }
nav a:hover { color: var(--accent); text-decoration: underline; }
nav a[aria-current] { color: var(--accent); border-block-end-color: var(--accent); font-weight: 600; }
main {
  max-width: 76rem; margin: 0 auto; padding: 1.75rem 1.5rem 3rem;
  background: none; border: 0; border-radius: 0; box-shadow: none;
}
h1 { font-size: 1.75rem; }
h1 .name { display: inline; }
main > .head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .75rem 1.5rem; margin-block-end: 1.25rem; text-align: start; }
section, .panel {
  margin-block: 0 1.25rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
}
section h2 { margin-block-end: .75rem; font-size: 1.125rem; }
.table { overflow-x: auto; }
.table:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { inline-size: 100%; border-collapse: collapse; font-size: .9375rem; overflow-wrap: normal; }
th, td { padding: .5rem .75rem .5rem 0; text-align: start; vertical-align: top; border-block-end: 1px solid var(--line); }
[dir=rtl] :is(th, td) { padding: .5rem 0 .5rem .75rem; }
th { color: var(--quiet); font-weight: 550; white-space: nowrap; }
td { min-inline-size: 7rem; max-inline-size: 24rem; overflow-wrap: anywhere; }
td a:not(.button) { display: inline-block; padding-block: .25rem; margin-block: -.25rem; }
dl { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: .375rem 1rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  body { background: var(--ground); }
  main { padding: 1.25rem 1rem 2rem; }
  .bar { padding-inline: 1rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-block-end: .5rem; }
}
.buttons { display: flex; flex-wrap: wrap; gap: .625rem; margin-block-start: 1rem; }
.head .buttons { margin: 0; }
.buttons form { display: contents; }
button, .button {
  display: inline-flex; align-items: center; inline-size: auto; min-block-size: 2.75rem; padding: .375rem 1rem;
  border: 1.5px solid var(--accent); border-radius: .625rem; background: var(--tint); color: var(--accent);
  font: inherit; font-weight: 600; text-decoration: none; cursor: pointer;
}
.button:hover { background: var(--tint-hover); }
.primary { margin: 0; background: var(--accent); color: var(--accent-text); }
.primary:hover { background: var(--accent-hover); }
.danger, .danger:hover { border-color: var(--warning); background: var(--warning-tint); color: var(--warning); }
.field { max-inline-size: 44rem; }
.field input + input { margin-block-start: .5rem; }
.field select {
  min-block-size: 3rem; padding: .5rem .875rem; border: 1px solid var(--control); border-radius: .625rem;
  background: var(--card); color: var(--text); font: inherit;
}
.field fieldset { margin: 0; }
.search { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; margin-block-end: 1rem; }
.search + .fine { margin-block: -.375rem 1.25rem; }
.search button { min-block-size: 3rem; }
.search .field { flex: 1 1 14rem; margin: 0; }
:is(select, summary, pre, .button):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.kinds { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; margin: 0; padding: 0; list-style: none; }
.kinds a { display: block; block-size: 100%; padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; text-decoration: none; }
.kinds a:hover { background: var(--tint); }
.kinds strong { display: block; }
.kinds span { color: var(--quiet); font-size: .9375rem; }
.status { margin-block-end: 1.25rem; padding: .75rem 1rem; background: var(--tint); border-inline-start: 4px solid var(--accent); border-radius: .5rem; }
.bad { color: var(--warning); font-weight: 550; }
pre {
  margin: .75rem 0; padding: .875rem 1rem; overflow-x: auto; background: var(--ground); border: 1px solid var(--line);
  border-radius: .625rem; white-space: pre-wrap; font: .9375rem/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace;
}
summary { padding-block: .625rem; cursor: pointer; color: var(--accent); font-weight: 550; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .75rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.figures li { padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.figures strong { display: block; font-size: 1.75rem; line-height: 1.2; }
.heard { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
.table { position: relative; }
.button[aria-current] { background: var(--accent); color: var(--accent-text); }
.of { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
main > p { margin-block-end: 1rem; }
main > .buttons { margin-block: 0 1rem; }
.chart { display: block; inline-size: 100%; max-inline-size: 44rem; block-size: auto; }
.chart rect { fill: var(--accent); }
.chart text { fill: var(--quiet); font-size: 11px; }
.chart path { stroke: var(--line); stroke-width: 1; }
`

/** The hash for the policy (CSP 3 §2.3.1). It is a constant, so that no page waits for a digest; a test checks it. */
export const consoleStyleHash = 'sha256-EyqxJgerPkAG91WNIZUcXvMGvI/tXqM25KZYrUYCBZA='
