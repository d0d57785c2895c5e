/** The one style sheet of the HTML document. Nothing in it is fetched; both looks, a phone and paper are in it. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfc; --ink: #24292e; --soft: #66707a; --line: #e4e5e2; --card: #f5f5f2; --code: #f5f5f2;
  --mark: #2f6f9f; --bad: #b3362b; --ins: #e3f4e4; --ins-ink: #1d6a2c; --del: #fbe7e5; --del-ink: #9c2b22;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --ink: #d8dade; --soft: #8f979f; --line: #2c3035; --card: #1f2327; --code: #1d2024;
    --mark: #7fb6dd; --bad: #ee8277; --ins: #17301d; --ins-ink: #8fd19e; --del: #3a1d1b; --del-ink: #f0a59d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 3rem 1.25rem 5rem; max-width: 48rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.65 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: break-word;
}
h1 { font-size: 1.75rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; margin: 0 0 .5rem; text-wrap: balance; }
h2, h3, h4, h5, h6 { line-height: 1.35; font-weight: 620; margin: 1.6em 0 .5em; }
h2 { font-size: 1.2rem; } h3 { font-size: 1.12rem; } h4 { font-size: 1.03rem; } h5, h6 { font-size: 1rem; }
p, ul, ol, table, pre, blockquote { margin: .75em 0; }
ul, ol { padding-left: 1.4em; } li { margin: .2em 0; } li > p { margin: .3em 0; }
a { color: var(--mark); text-underline-offset: .15em; }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
code, pre { font-family: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'Liberation Mono', monospace; font-size: .86em; }
code { background: var(--code); padding: .12em .35em; border-radius: 4px; }
pre {
  background: var(--code); padding: .8rem 1rem; border-radius: 8px; line-height: 1.5; tab-size: 4;
  overflow: auto; max-height: 34rem; overflow-wrap: normal;
}
pre code { background: none; padding: 0; border-radius: 0; font-size: 1em; }
pre.text { white-space: pre-wrap; overflow-wrap: break-word; }
.diff ins, .diff del, .diff small { text-decoration: none; font-size: 1em; display: inline-block; min-width: 100%; }
.diff ins { background: var(--ins); color: var(--ins-ink); } .diff del { background: var(--del); color: var(--del-ink); }
.diff small { color: var(--soft); }
.wide { overflow-x: auto; } .right { text-align: right; }
table { border-collapse: collapse; font-size: .94em; } th, td { border-bottom: 1px solid var(--line); padding: .4em 1.2em .4em 0; text-align: left; vertical-align: top; }
img { max-width: 100%; height: auto; border-radius: 8px; display: block; margin: .75em 0; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1.25rem; margin-bottom: 2rem; }
header p { color: var(--soft); margin: .25rem 0; font-size: .92rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: .75rem 0 0; font-size: .88rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
details > summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
header details, nav { margin-top: .75rem; } nav ol { margin: .5rem 0 0; font-size: .92rem; }
nav a { color: inherit; text-decoration: none; } nav a:hover { text-decoration: underline; }
.prompt {
  margin: 3rem 0 1.5rem; padding: .9rem 1.15rem; background: var(--card); border-radius: 10px; border-left: 3px solid var(--mark);
  scroll-margin-top: 1rem;
}
.prompt h2 { margin: 0 0 .35rem; font-size: .8rem; font-weight: 500; color: var(--soft); display: flex; gap: .75rem; justify-content: space-between; }
.prompt h2 a { color: inherit; text-decoration: none; }
.prompt > :last-child, .answer > :last-child, .fold > :last-child { margin-bottom: 0; }
.prompt > h2 + * { margin-top: 0; }
.answer { margin: 1.1rem 0; }
.fold { margin: .35rem 0; border: 1px solid var(--line); border-radius: 8px; padding: .3rem .75rem; }
.fold[open] { padding-bottom: .75rem; }
.fold > summary { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 1.7; }
.fold > summary b { font-weight: 600; color: var(--ink); }
.fold > summary code { background: none; padding: 0; }
.fold > summary .bad { color: var(--bad); font-weight: 600; }
.fold h3 { font-size: .8rem; font-weight: 500; color: var(--soft); margin: .75rem 0 .3rem; }
.fold pre { margin: .4rem 0; }
.sub { margin-left: 1rem; padding-left: .85rem; border-left: 2px solid var(--line); }
.note { color: var(--soft); font-size: .9rem; margin: 2rem 0; display: flex; align-items: center; gap: 1rem; }
.note::before, .note::after { content: ''; flex: 1; border-top: 1px solid var(--line); }
footer { margin-top: 4rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 30rem) {
  body { padding: 1.5rem 1rem 3rem; } h1 { font-size: 1.4rem; } .prompt { margin-top: 2rem; padding: .75rem .9rem; }
  pre { padding: .65rem .75rem; border-radius: 6px; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .35rem; }
  .sub { margin-left: 0; }
}
@media print { body { max-width: none; padding: 0; } pre { max-height: none; white-space: pre-wrap; } }
`

/** Added in a page that is part of a folder with an index. */
export const folderPageStyle = `
.folder { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 1.5rem; font-size: .92rem; }
.folder a { color: var(--mark); padding: .2rem 0; }
.folder a:first-child { margin-right: auto; } .below { margin: .75rem 0 0; } .below a:first-child { margin: 0; }
.folder + footer { margin-top: 1.5rem; }
body > .folder { margin: 4rem 0 0; border-top: 1px solid var(--line); padding-top: 1rem; }
@media print { .folder { display: none; } }
`
