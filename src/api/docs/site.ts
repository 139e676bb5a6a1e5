import { readImage } from './guides.ts';
import { layout } from './layout.ts';
import { Links } from './links.ts';
import { llmsFullTxt, llmsTxt } from './llms.ts';
import { type Page, readSite } from './pages.ts';
import { render } from './render.ts';
import { searchIndex } from './search-index.ts';

export type OpenSite = Awaited<ReturnType<typeof openSite>>;

/** Reads the guides and the contract, and returns what is written from them. */
export async function openSite() {
  const site = await readSite();
  const links = new Links(site.document);
  return {
    pages: site.pages,
    html: async (page: Page) => layout(page, await render(page.markdown(), page.path, links), site),
    searchIndex: async () => JSON.stringify(await searchIndex(site)),
    llmsTxt: () => llmsTxt(site),
    llmsFullTxt: () => llmsFullTxt(site),
    readImage,
  };
}
