import { existsSync } from 'node:fs'

import { generateSidebar } from 'vitepress-sidebar'

/** A part of the sidebar. */
interface Section {
  readonly text: string
  readonly collapsed?: boolean
  readonly items: Item[]
}

interface Item {
  readonly text: string
  /** From the root of the site. */
  readonly link: string
}

/** The sidebar: the folders of docs, with the pages by their first headings. */
export const sidebar = (): Section[] => [
  { text: 'Tutorial', items: pagesIn('tutorial') },
  { text: 'How to', items: pagesIn('how-to') },
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
  { text: 'Every export', collapsed: true, items: pagesIn('reference/api') },
  { text: 'Decisions', collapsed: true, items: pagesIn('adr') },
]

function pagesIn(folder: string): Item[] {
  // The build writes the pages of exports.
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
