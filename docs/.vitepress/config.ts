import { slug } from 'github-slugger'
import llms from 'vitepress-plugin-llms'
import { withMermaid } from 'vitepress-plugin-mermaid'

import { sidebar } from './sidebar.ts'
import { linkSources } from './source-links.ts'

/** A coin with a leaf. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#0f6b52"/><path d="M9 23C9 13 14 9 24 8c0 10-5 15-15 15z" fill="#fff"/></svg>'

/** The part of the start page that is shown above docs/index.md, as frontmatter of VitePress's home layout. */
export const startPage = {
  layout: 'home',
  hero: {
    name: 'Mintmark',
    text: 'An authorization server inside your application',
    tagline:
      'OAuth 2.0, OpenID Connect and inbound SCIM 2.0, as a TypeScript library. You keep your own users, sign-in page, database and HTTP server.',
    actions: [
      { theme: 'brand', text: 'Start in ten minutes', link: '/tutorial/authorization-server' },
      { theme: 'alt', text: 'All options', link: '/reference/options' },
      { theme: 'alt', text: 'Attacks and defences', link: '/explanation/attacks' },
    ],
  },
}

/**
 * Weighs a section of a page in the search. Readers look for guides first, then for the reference, and for decisions
 * last. But whoever types the name of an option wants the option: only names of two words or more, such as
 * clientDocuments, are this long. VitePress copies the text of this function to the browser.
 */
export const searchWeight = (id: string, term: string): number => {
  if (/\/reference\/options[.#]/.test(id) && id.endsWith(term.toLowerCase())) return term.length > 10 ? 20 : 4
  if (/\/(?:adr|reference\/api)\//.test(id)) return 0.25
  return /\/(?:tutorial|how-to)\//.test(id) ? 4 : 1
}

/**
 * Configures the site, which is built from the same Markdown files that people read in the repository. `pnpm generate site`
 * builds it, and fails if a link is dead.
 */
export default withMermaid({
  title: 'Mintmark',
  description:
    'Your own TypeScript server as an OAuth 2.0 and OpenID Connect authorization server, with inbound SCIM 2.0.',
  lang: 'en',
  // The path of the site on its host, such as `/mintmark/`.
  base: process.env['SITE_BASE'] ?? '/',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  srcExclude: ['snippets/**'],
  markdown: {
    // The same anchors as on GitHub, so that a link works in both places.
    anchor: { slugify: slug },
    // `/Users/{id}` is a path, not a heading with an attribute.
    attrs: { disable: true },
    theme: { light: 'github-light', dark: 'github-dark' },
    config: (markdown) => markdown.core.ruler.push('source-links', linkSources),
  },
  // Links to the Markdown source of the page, for programs.
  transformHead: ({ pageData, siteData }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: siteData.base + pageData.relativePath }],
  ],
  transformPageData: (page) => (page.relativePath === 'index.md' ? { frontmatter: startPage } : undefined),
  vite: {
    plugins: [llms({ ignoreFilesPerOutput: { llmsFullTxt: ['reference/api/**', 'adr/**'] }, injectLLMHint: false })],
    // The search index and Mermaid are large, but browsers load them only when they need them.
    build: { chunkSizeWarningLimit: 4000 },
  },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/tutorial/authorization-server' },
      { text: 'Options', link: '/reference/options' },
      { text: 'Endpoints', link: '/reference/endpoints' },
      { text: 'For LLMs', link: '/llms.txt', target: '_blank' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            boostDocument: searchWeight,
          },
        },
      },
    },
    docFooter: { prev: 'Previous page', next: 'Next page' },
  },
})
