/** What the index adds to the style of the pages. */
export const indexStyle = `
body { max-width: 56rem; }
[hidden] { display: none !important; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: 1.25rem; }
input, select, button {
  font: inherit; font-size: .95rem; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .5rem .7rem; min-height: 2.6rem; min-width: 0;
}
input { flex: 1 1 16rem; } select { flex: 0 1 auto; max-width: 14rem; text-overflow: ellipsis; } button { cursor: pointer; }
input::placeholder { color: var(--soft); opacity: 1; }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 1px; }
output { flex-basis: 100%; color: var(--soft); font-size: .88rem; } output:empty { display: none; }
.months { margin-top: 1rem; } .months p { display: flex; flex-wrap: wrap; gap: 0 .35rem; align-items: baseline; } .months a { padding: .1rem .3rem; color: var(--mark); }
.months b { font-weight: 600; color: var(--ink); min-width: 3.2rem; }
section { content-visibility: auto; contain-intrinsic-size: auto 30rem; margin-bottom: 2.5rem; scroll-margin-top: 1rem; }
h2 { font-size: .95rem; margin: 0 0 .25rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
h2 small { color: var(--soft); font-weight: 400; font-size: .85rem; margin-left: .35rem; }
main ul { list-style: none; margin: 0; padding: 0; }
main li { display: grid; grid-template-columns: 4.2rem minmax(0, 1fr); margin: 0; padding: .7rem 0; }
main li + li { border-top: 1px solid var(--line); }
main li > * { grid-column: 2; margin: 0; }
main time { grid-column: 1; grid-row: 1; color: var(--soft); font-size: .88rem; line-height: 1.75rem; font-variant-numeric: tabular-nums; }
main li > a { font-weight: 550; color: var(--ink); text-decoration: none; line-height: 1.75rem; overflow-wrap: anywhere; }
main li > b { font-weight: 550; color: var(--soft); line-height: 1.75rem; overflow-wrap: anywhere; }
main li > a:hover { color: var(--mark); text-decoration: underline; }
main li > a:visited { color: var(--soft); }
main p { color: var(--soft); font-size: .85rem; line-height: 1.5; overflow-wrap: anywhere; }
main .said { font-size: .92rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
main p .bad { color: var(--bad); }
main details { margin-top: .35rem; } main details > summary { font-size: .85rem; }
main details ul { margin-top: .35rem; padding-left: .9rem; border-left: 2px solid var(--line); }
main details li { padding: .4rem 0; border: 0; } main details li + li { border: 0; }
#none { font-size: 1rem; }
@media (max-width: 40rem) {
  main li { grid-template-columns: minmax(0, 1fr); }
  main li > *, main time { grid-column: 1; grid-row: auto; }
  main time { line-height: 1.3; font-size: .8rem; } main li > a { line-height: 1.45; padding: .1rem 0; }
  select { flex: 1 1 8rem; max-width: none; } input { flex-basis: 100%; }
}
@media print { form, .months { display: none; } section { content-visibility: visible; } main li { break-inside: avoid; } }
`

/**
 * Filters the list. It reads what the page shows and hides what does not match; it adds no text except counts, and evaluates none.
 * All words must be in one session. A session is also shown if one of its sub-agents' sessions matches.
 */
export const script = `
'use strict';
{
  const form = document.forms[0];
  const { text, agent, project } = form.elements;
  const output = form.querySelector('output');
  const clear = form.querySelector('button');
  const months = document.querySelector('.months');
  const none = document.getElementById('none');
  const read = (li) => {
    const details = li.querySelector(':scope > details');
    const parts = li.querySelectorAll(':scope > a > bdi, :scope > b > bdi, :scope > p > bdi');
    return {
      li,
      details,
      agent: li.dataset.a,
      project: li.dataset.p,
      text: Array.from(parts, (part) => part.textContent).join('\\n').toLowerCase(),
      below: details ? Array.from(details.querySelectorAll('li'), read) : [],
    };
  };
  const days = Array.from(document.querySelectorAll('main > section'), (section) => ({
    section,
    count: section.querySelector('h2 > small'),
    items: Array.from(section.querySelectorAll(':scope > ul > li'), read),
  }));
  const filter = () => {
    const words = text.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const isActive = words.length > 0 || agent.value !== '' || project.value !== '';
    const fits = (one) =>
      (agent.value === '' || one.agent === agent.value) &&
      (project.value === '' || one.project === project.value) &&
      words.every((word) => one.text.includes(word));
    let total = 0;
    let matching = 0;
    for (const { section, count, items } of days) {
      let shown = 0;
      for (const item of items) {
        const isFit = fits(item);
        let below = 0;
        for (const one of item.below) {
          const isOneFit = fits(one);
          if (isOneFit) below++;
          one.li.hidden = !isFit && !isOneFit;
        }
        item.li.hidden = !isFit && below === 0;
        if (!item.li.hidden) shown++;
        if (item.details) {
          const mustOpen = !isFit && below > 0;
          if (mustOpen && !item.details.open) { item.details.open = true; item.wasOpened = true; }
          if (!mustOpen && item.wasOpened) { item.details.open = false; item.wasOpened = false; }
        }
        total += 1 + item.below.length;
        matching += (isFit ? 1 : 0) + below;
      }
      section.hidden = shown === 0;
      count.textContent = shown;
    }
    output.textContent = isActive ? matching + ' of ' + total + ' match' : '';
    clear.hidden = !isActive;
    if (months) months.hidden = isActive;
    none.hidden = matching > 0;
  };
  let isDue = false;
  const soon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; filter(); });
  };
  form.addEventListener('input', soon);
  form.addEventListener('reset', soon);
  form.addEventListener('submit', (event) => event.preventDefault());
  // A browser restores what was typed when the reader comes back from a session.
  addEventListener('pageshow', soon);
  form.hidden = false;
}
`
