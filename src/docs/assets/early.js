// Runs before the page is shown, so that it appears at once in the chosen theme and language.
const root = document.documentElement;
root.classList.add('js');
try {
  root.dataset.theme = localStorage.getItem('docs-theme') ?? 'system';
  root.dataset.language = localStorage.getItem('docs-language') ?? 'sh';
} catch {
  // Without storage, choices last for a page.
  root.dataset.language = 'sh';
}
