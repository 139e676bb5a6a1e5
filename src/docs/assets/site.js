// This runs before the page is shown, so that the page appears at once in the chosen colours and language.
const { style, dataset } = document.documentElement;
let storage = {};
try {
  storage = localStorage;
} catch {
  // Without storage, the choices are forgotten when the page is left.
}
style.colorScheme = storage['docs-theme'] ?? 'light dark';

/** Shows all examples in this language. */
function showLanguage(language) {
  dataset.language = language;
  for (const button of document.querySelectorAll('[data-choose]')) {
    button.ariaPressed = button.dataset.choose === language;
  }
}
showLanguage(storage['docs-language'] ?? 'sh');

addEventListener('DOMContentLoaded', () => {
  showLanguage(dataset.language);
  const colours = document.querySelector('#colours');
  colours.value = style.colorScheme;
  colours.addEventListener('change', () => {
    style.colorScheme = colours.value;
    storage['docs-theme'] = colours.value;
  });
  const nav = document.querySelector('nav');
  const current = nav.querySelector('[aria-current]');
  if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
  // The index is loaded when the reader first enters the search field.
  const query = document.querySelector('#query');
  query.addEventListener('focus', () => import('./search.js'), { once: true });
});

addEventListener('click', ({ target }) => {
  if (target.matches('[data-choose]')) {
    showLanguage(target.dataset.choose);
    storage['docs-language'] = target.dataset.choose;
  }
  if (target.matches('figure > button')) {
    // This also works over plain HTTP, where `navigator.clipboard` does not exist.
    getSelection().selectAllChildren(target.nextSibling);
    document.execCommand('copy');
    target.textContent = 'Copied';
    setTimeout(() => target.replaceChildren('Copy'), 1500);
  }
});

addEventListener('keydown', (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA)$/.test(document.activeElement.tagName);
  const isSearchKey = event.key === '/' || (event.key === 'k' && (event.metaKey || event.ctrlKey));
  if (!isSearchKey || isTyping) return;
  event.preventDefault();
  document.querySelector('#query').focus();
});
