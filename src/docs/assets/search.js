import MiniSearch from './minisearch.js';

const MAX_RESULTS = 20;
const query = document.querySelector('#query');
const results = document.querySelector('#results');

const index = new MiniSearch({
  fields: ['heading', 'page', 'text'],
  storeFields: ['heading', 'page', 'text'],
  // Dotted names and paths are also found by their parts: `commentAnnotations.add` by "comment".
  tokenize: (text) => [
    ...text.split(/[\s()[\]{}"'`,:;|<>=?!]+/),
    ...text.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u),
  ],
  searchOptions: {
    boost: { heading: 4, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.25 : 0),
    combineWith: 'AND',
    // Guides rank above pages of the reference, whose addresses have a slash.
    boostDocument: (id) => (id.includes('/') ? 0.6 : 1),
  },
});
await index.addAllAsync(await (await fetch(new URL('search.json', import.meta.url))).json());

/** Shows the sections that match the typed text. */
function show() {
  const text = query.value.trim();
  const found = index.search(text).slice(0, MAX_RESULTS);
  results.replaceChildren(...found.map(linkTo));
  if (found.length === 0) results.textContent = `Nothing found for “${text}”.`;
  results.togglePopover(text !== '');
}

function linkTo({ id, heading, page, text, terms }) {
  const link = document.createElement('a');
  link.href = new URL(`../${id}`, import.meta.url);
  const title = document.createElement('strong');
  title.textContent = heading === page ? heading : `${page} › ${heading}`;
  link.append(title, ...excerpt(text, terms));
  return link;
}

/** The part of a text around the first word that was found, with all found words marked. */
function excerpt(text, terms) {
  const words = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(`(${words.join('|')})`, 'i');
  const start = Math.max(0, text.search(found) - 30);
  const part = text.slice(start, start + 180);
  const shown = `${start > 0 ? '…' : ''}${part}${start + 180 < text.length ? '…' : ''}`;
  // `split` returns the captured words at the odd indexes.
  return shown.split(new RegExp(found, 'gi')).map((piece, index) => {
    if (index % 2 === 0) return piece;
    const mark = document.createElement('mark');
    mark.textContent = piece;
    return mark;
  });
}

query.addEventListener('input', show);
query.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') results.querySelector('a')?.click();
});
results.addEventListener('click', () => results.hidePopover());
// The arrow keys move the focus through the results.
document.querySelector('search').addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const targets = [query, ...results.querySelectorAll('a')];
  targets[targets.indexOf(document.activeElement) + step]?.focus();
});
show();
