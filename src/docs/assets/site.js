const root = document.documentElement;

const keep = (name, value) => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Without storage, the choice lasts for this page.
  }
};

for (const element of document.querySelectorAll('header [hidden], .choice, .copy')) {
  if (element.id !== 'results') element.hidden = false;
}

// Light or dark: first the opposite of what is shown, then back.
const theme = document.querySelector('.theme');
const isDark = () =>
  root.dataset.theme === 'dark' ||
  (root.dataset.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
const nameTheme = () => {
  theme.textContent = isDark() ? 'Light' : 'Dark';
  theme.setAttribute('aria-label', `${theme.textContent} colours`);
};
theme.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  keep('docs-theme', root.dataset.theme);
  nameTheme();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', nameTheme);
nameTheme();

// The navigation of narrow screens.
const menu = document.querySelector('.menu');
menu.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('with-menu');
  menu.setAttribute('aria-expanded', String(isOpen));
});

// All examples show the language that was chosen last.
const languageButtons = document.querySelectorAll('[data-choose]');
const markLanguage = () => {
  for (const button of languageButtons) {
    const isChosen = button.dataset.choose === root.dataset.language;
    button.setAttribute('aria-pressed', String(isChosen));
  }
};
for (const button of languageButtons) {
  button.addEventListener('click', () => {
    const before = button.getBoundingClientRect().top;
    root.dataset.language = button.dataset.choose;
    keep('docs-language', button.dataset.choose);
    markLanguage();
    scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' });
  });
}
markLanguage();

for (const button of document.querySelectorAll('.copy')) {
  button.addEventListener('click', async () => {
    await copy(button.parentElement.querySelector('code'));
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
}

/** Pages over plain HTTP have no clipboard, except on this machine; there, the text is selected. */
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
  } catch {
    getSelection().selectAllChildren(element);
    document.execCommand('copy');
  }
}

// The heading that is being read.
const contents = new Map(
  [...document.querySelectorAll('aside a')].map((link) => [link.hash.slice(1), link]),
);
const watch = new IntersectionObserver(
  (entries) => {
    const shown = entries.find(({ isIntersecting }) => isIntersecting);
    if (!shown) return;
    for (const link of contents.values()) link.removeAttribute('aria-current');
    contents.get(shown.target.id)?.setAttribute('aria-current', 'true');
  },
  { rootMargin: '-80px 0px -70% 0px' },
);
for (const id of contents.keys()) {
  const heading = document.getElementById(id);
  if (heading) watch.observe(heading);
}

document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'center' });
scrollTo({ top: location.hash ? scrollY : 0, behavior: 'instant' });

// The index is loaded when somebody wants to search.
const query = document.querySelector('#query');
const startSearch = async () => {
  query.removeEventListener('focus', startSearch);
  const { search } = await import('./search.js');
  await search(query, document.querySelector('#results'), document.body.dataset.root);
};
query.addEventListener('focus', startSearch);
addEventListener('keydown', (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '');
  const wants = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey));
  if (!wants || isTyping) return;
  event.preventDefault();
  query.focus();
});
