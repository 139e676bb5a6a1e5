import { addressOf, type Page, rootFrom, type Site } from './pages.ts';
import { escapeHtml, type Heading, type Rendered } from './render.ts';

/** Writes the HTML of a page around its content. All addresses are relative. */
export function layout(page: Page, { html, headings }: Rendered, site: Site): string {
  const root = rootFrom(page.path);
  const markdown = `${root}docs${page.path && '/'}${page.path}.md`;
  const isListed = site.pages.has(page.path);
  const title =
    page.path === '' ? 'Collaboration backend' : `${page.title} · Collaboration backend`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}docs/assets/site.css">
${isListed ? `<link rel="alternate" type="text/markdown" href="${markdown}">` : ''}
<script src="${root}docs/assets/early.js"></script>
<script src="${root}docs/assets/site.js" type="module"></script>
</head>
<body data-root="${root}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<button type="button" class="menu" aria-expanded="false" aria-controls="navigation" hidden>Menu</button>
<a class="name" href="${addressOf('', page.path)}">Collaboration backend</a>
<search hidden>
<input type="search" id="query" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<div id="results" hidden></div>
</search>
<button type="button" class="theme" aria-label="Light or dark" hidden></button>
</header>
<div class="columns">
<nav id="navigation" aria-label="Pages">
${navigation(page, site)}
</nav>
<main id="content" tabindex="-1">
<article>
${html}</article>
${isListed ? `<footer>${neighbours(page, site)}<p><a href="${markdown}">This page as Markdown</a></p></footer>` : ''}
</main>
${contents(headings)}
</div>
</body>
</html>
`;
}

/** The sections of guides, and of the reference those that the reader is in. */
function navigation(current: Page, site: Site): string {
  const sections = Map.groupBy(site.pages.values(), ({ section }) => section);
  const parts = [...sections].map(([section, pages]) => {
    if (section === '') return '';
    const [index] = pages;
    const isReference = index?.title === section;
    if (!isReference) return `<h2>${section}</h2>${list(pages, current)}`;
    const isOpen = current.section === section;
    const heading = index?.path === 'operations' ? '<h2>Reference</h2>' : '';
    const inside = isOpen ? groups(pages.slice(1), current) : '';
    return `${heading}${list([index], current)}${inside}`;
  });
  const others = [
    ['Try it in the console', `${rootFrom(current.path)}console`],
    ['openapi.json', `${rootFrom(current.path)}openapi.json`],
    ['asyncapi.json', `${rootFrom(current.path)}asyncapi.json`],
    ['llms.txt', `${rootFrom(current.path)}llms.txt`],
  ].map(([name, address]) => `<li><a href="${address}">${name}</a></li>`);
  return `${parts.join('\n')}<ul>${others.join('')}</ul>`;
}

/** Pages by their group, of which the reader's is open. */
function groups(pages: Page[], current: Page): string {
  const byGroup = [...Map.groupBy(pages, ({ group }) => group ?? '')];
  return byGroup
    .map(([group, own]) => {
      if (group === '') return `<div class="inside">${list(own, current)}</div>`;
      const open = group === current.group ? ' open' : '';
      return `<details class="inside"${open}><summary>${group}</summary>${list(own, current)}</details>`;
    })
    .join('');
}

function list(pages: Page[], current: Page): string {
  const items = pages.map(({ path, title }) => {
    const mark = path === current.path ? ' aria-current="page"' : '';
    return `<li><a href="${addressOf(path, current.path)}"${mark}>${escapeHtml(title)}</a></li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

function contents(headings: Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ id, text, level }) =>
      `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></aside>`;
}

/** The pages before and after, in the order of the navigation. */
function neighbours(page: Page, { pages }: Site): string {
  const all = [...pages.values()];
  const at = all.indexOf(page);
  const link = (to: Page | undefined, name: string) =>
    to
      ? `<a class="${name}" rel="${name}" href="${addressOf(to.path, page.path)}">${escapeHtml(to.title)}</a>`
      : '';
  return `<p class="neighbours">${link(all[at - 1], 'prev')}${link(all[at + 1], 'next')}</p>`;
}
