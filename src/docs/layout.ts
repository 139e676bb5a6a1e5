import { addressOf, type Page, rootFrom } from './page.ts';
import { escapeHtml, sectionsOf, withControls } from './render.ts';

/** Returns the HTML of a page: the content `html`, with the navigation around it. All addresses are relative. */
export function layout(page: Page, html: string, pages: Page[]): string {
  const root = rootFrom(page.path);
  const markdown = `${addressOf(page.path, page.path)}.md`;
  const index = pages.indexOf(page);
  const isListed = index >= 0;
  const name = 'Collaboration backend';
  const title = page.path === '' ? name : `${escapeHtml(page.title)} · ${name}`;
  const alternate = `<link rel="alternate" type="text/markdown" href="${markdown}">`;
  const footer = `<footer>
<p>${linkToAdjacent(pages[index - 1], page, (title) => `← ${title}`)}
${linkToAdjacent(pages[index + 1], page, (title) => `${title} →`)}</p>
<p><a href="${markdown}">This page as Markdown</a></p>
</footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}docs/assets/site.css">
${isListed ? alternate : ''}
<script src="${root}docs/assets/site.js"></script>
</head>
<body>
<a href="#content">Skip to the content</a>
<header>
<button type="button" popovertarget="navigation">Menu</button>
<a href="${addressOf('', page.path)}">${name}</a>
<search>
<input type="search" id="query" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<div id="results" popover></div>
</search>
<select id="colours" aria-label="Colours">
<option value="light dark">Auto</option><option value="light">Light</option><option value="dark">Dark</option>
</select>
</header>
<nav id="navigation" popover aria-label="Pages">
${navigation(page, pages)}
</nav>
<main id="content" tabindex="-1">
<article>
${withControls(html)}</article>
${isListed ? footer : ''}
</main>
${tableOfContents(html)}
</body>
</html>
`;
}

/**
 * The links to the pages. A section of guides lists all of its pages. A section of the reference lists its first page,
 * and the other pages only while the reader is in the section.
 */
function navigation(current: Page, pages: Page[]): string {
  const root = rootFrom(current.path);
  const list = (listed: Page[]) => {
    const items = listed.map(({ path, title }) => {
      const mark = path === current.path ? ' aria-current="page"' : '';
      return `<li><a href="${addressOf(path, current.path)}"${mark}>${escapeHtml(title)}</a></li>`;
    });
    return `<ul>${items.join('')}</ul>`;
  };
  const groups = (listed: Page[]) =>
    [...Map.groupBy(listed, ({ group }) => group)].map(([group, members]) => {
      if (!group) return list(members);
      const open = group === current.group ? ' open' : '';
      return `<details${open}><summary>${group}</summary>${list(members)}</details>`;
    });
  const sections = Map.groupBy(pages.slice(1), ({ section }) => section);
  const parts = [...sections].map(([section, listed]) => {
    const [first, ...others] = listed;
    // Only a section of the reference begins with a page that has the section's name.
    if (first?.title !== section) return `<h2>${section}</h2>${list(listed)}`;
    const heading = section === 'Operations' ? '<h2>Reference</h2>' : '';
    const otherLinks = section === current.section ? `<div>${groups(others).join('')}</div>` : '';
    return `${heading}${list([first])}${otherLinks}`;
  });
  return `${parts.join('\n')}
<ul>
<li><a href="${root}console">Try it in the console</a></li>
<li><a href="${root}openapi.json">openapi.json</a></li>
<li><a href="${root}asyncapi.json">asyncapi.json</a></li>
<li><a href="${root}llms.txt">llms.txt</a></li>
</ul>`;
}

/** The links to the headings of a page, if there are several. */
function tableOfContents(html: string): string {
  const shown = sectionsOf(html).filter(({ level }) => level > 1);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ level, id, heading }) => `<li data-level="${level}"><a href="#${id}">${heading}</a></li>`,
  );
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></aside>`;
}

/** A link to the page before or after, in the order of the navigation. */
function linkToAdjacent(
  to: Page | undefined,
  from: Page,
  label: (title: string) => string,
): string {
  if (!to) return '<span></span>';
  return `<a href="${addressOf(to.path, from.path)}">${label(escapeHtml(to.title))}</a>`;
}
