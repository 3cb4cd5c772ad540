import { defineConfig } from 'vitepress'

import { anchorOf } from '../../scripts/markdown/anchor.ts'
import { pictureOf } from '../../scripts/site/draw-flowchart.ts'
import { linkRule } from '../../scripts/site/link-rule.ts'
import { startPage } from '../../scripts/site/start-page.ts'
import { sidebar } from '../../scripts/site/sidebar.ts'

/** A coin with a leaf. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#0f6b52"/><path d="M9 23C9 13 14 9 24 8c0 10-5 15-15 15z" fill="#fff"/></svg>'

/** The site, of the same files that are read in the repository: `pnpm site` builds it, and fails at a dead link. */
export default defineConfig({
  title: 'Mintmark',
  description:
    'Your own TypeScript server as an OAuth 2.0 and OpenID Connect authorization server, with inbound SCIM 2.0.',
  lang: 'en',
  // Where the site stands below its host, such as `/mintmark/`.
  base: process.env['SITE_BASE'] ?? '/',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  markdown: {
    // The same anchors as on GitHub, so that a link works in both places.
    anchor: { slugify: anchorOf },
    // `/Users/{id}` is an address, not a heading with an attribute.
    attrs: { disable: true },
    theme: { light: 'github-light', dark: 'github-dark' },
    config(markdown) {
      markdown.core.ruler.push('site-links', linkRule(process.env['SITE_SOURCES']))
      const drawCode = markdown.renderer.rules.fence
      markdown.renderer.rules.fence = (...shown) => {
        const [tokens, at] = shown
        return pictureOf(tokens[at]) ?? drawCode?.(...shown) ?? ''
      }
    },
  },
  // The Markdown twin of the page, for programs that read.
  transformHead: ({ pageData, siteData }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: siteData.base + pageData.relativePath }],
  ],
  // The index of the search, and a page of every requirement, are large and loaded when they are asked for.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  transformPageData: (page) => (page.relativePath === 'index.md' ? { frontmatter: startPage } : undefined),
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/tutorial/authorization-server' },
      { text: 'Options', link: '/reference/options' },
      { text: 'Endpoints', link: '/reference/endpoints' },
      { text: 'For programs', link: '/llms.txt', target: '_blank' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Before this', next: 'After this' },
  },
})
