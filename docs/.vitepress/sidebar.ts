import { existsSync } from 'node:fs'

import { generateSidebar } from 'vitepress-sidebar'

/** A section of the sidebar. */
interface Section {
  readonly text: string
  readonly collapsed?: boolean
  readonly items: Item[]
}

interface Item {
  readonly text: string
  /** The path of the page, from the root of the site. */
  readonly link: string
}

/** Returns the sidebar: the folders of `docs` as sections. The first heading of a page names it. */
export const sidebar = (): Section[] => [
  { text: 'Tutorial', items: pagesIn('tutorial') },
  { text: 'How-to guides', items: pagesIn('how-to') },
  { text: 'Reference', items: pagesIn('reference') },
  { text: 'Explanation', items: pagesIn('explanation') },
  {
    text: 'Facts',
    items: [
      { text: 'Glossary', link: '/glossary' },
      { text: 'Conformance', link: '/conformance' },
      { text: 'Compatibility', link: '/compatibility' },
      { text: 'Performance', link: '/performance' },
    ],
  },
  { text: 'All exports', collapsed: true, items: pagesIn('reference/api') },
  { text: 'Decisions', collapsed: true, items: pagesIn('adr') },
]

function pagesIn(folder: string): Item[] {
  // `reference/api`, the pages of exports, exists only after a build.
  if (!existsSync(`docs/${folder}`)) return []
  const pages = generateSidebar({
    documentRootPath: '/docs',
    scanStartPath: folder,
    useTitleFromFileHeading: true,
    includeRootIndexFile: true,
    excludeByGlobPattern: ['api/**', 'openapi/**'],
    manualSortFileNameByPriority: ['README.md', 'authorization-server.md'],
    sortMenusByName: !['adr', 'tutorial'].includes(folder),
  }) as Item[]
  return pages.filter(({ link }) => link).map(({ text, link }) => ({ text, link: `/${folder}/${link}` }))
}
