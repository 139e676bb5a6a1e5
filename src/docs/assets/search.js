import MiniSearch from './minisearch.js';

const MAX_RESULTS = 20;
const CONTEXT = 90;

/** Dotted names and paths are also found by their parts: `commentAnnotations.add` by "comment". */
const tokenize = (text) => [
  ...text.split(/[\s()[\]{}"'`,:;|<>=?!]+/),
  ...text.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u),
];

/** Shows the sections that match what is typed. Arrow keys go through them. */
export async function search(input, results, root) {
  const sections = await (await fetch(new URL('search.json', import.meta.url))).json();
  const index = new MiniSearch({
    fields: ['heading', 'page', 'text'],
    storeFields: ['heading', 'page', 'text'],
    tokenize,
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.25 : 0),
      combineWith: 'AND',
      // Guides explain, and pages of the reference list.
      boostDocument: (id) => (id.includes('/') ? 0.6 : 1),
    },
  });
  await index.addAllAsync(sections);

  const show = () => {
    const text = input.value.trim();
    results.hidden = text === '';
    if (text === '') return;
    const found = index.search(text).slice(0, MAX_RESULTS);
    results.replaceChildren(
      ...(found.length > 0 ? found.map((one) => item(one, root)) : [none(text)]),
    );
  };
  input.addEventListener('input', show);
  show();
  move(input, results);
}

function item({ id, heading, page, text, terms }, root) {
  const link = document.createElement('a');
  link.href = id === '' ? `${root}docs` : `${root}docs/${id}`;
  const title = document.createElement('strong');
  title.textContent = heading === page ? heading : `${page} › ${heading}`;
  const excerpt = document.createElement('span');
  excerpt.append(...mark(cut(text, terms), terms));
  link.append(title, excerpt);
  return link;
}

function none(text) {
  const line = document.createElement('p');
  line.textContent = `Nothing found for “${text}”.`;
  return line;
}

/** The part of a text around the first word that was found. */
function cut(text, terms) {
  const at = Math.min(
    ...terms.map((term) => text.toLowerCase().indexOf(term)).filter((index) => index >= 0),
    text.length,
  );
  const start = at === text.length ? 0 : Math.max(0, at - CONTEXT / 3);
  const part = text.slice(start, start + 2 * CONTEXT);
  return `${start > 0 ? '…' : ''}${part}${start + 2 * CONTEXT < text.length ? '…' : ''}`;
}

function mark(text, terms) {
  const words = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text.split(new RegExp(`(${words.join('|')})`, 'gi')).map((part, at) => {
    if (at % 2 === 0) return part;
    const found = document.createElement('mark');
    found.textContent = part;
    return found;
  });
}

function move(input, results) {
  const close = () => {
    results.hidden = true;
  };
  const keys = (event) => {
    if (event.key === 'Escape') {
      input.focus();
      return close();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const links = [...results.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
    (links[at] ?? (at < 0 ? input : links.at(-1)))?.focus();
  };
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') results.querySelector('a')?.click();
    keys(event);
  });
  results.addEventListener('keydown', keys);
  results.addEventListener('click', close);
  document.addEventListener('click', ({ target }) => {
    if (!results.contains(target) && target !== input) close();
  });
}
