import { siteSections } from './section.ts'

/** The sidebar, computed from the folders. What is looked up by its name is closed until it is asked for. */
export const sidebar = (): { text: string; collapsed: boolean; items: { text: string; link: string }[] }[] =>
  siteSections()
    .filter(({ pages }) => pages.length > 0)
    .map(({ title, pages }) => ({
      text: title,
      collapsed: closed.has(title),
      items: pages.map((page) => ({ text: page.title, link: `/${page.path.replace(/\.md$/, '')}` })),
    }))

const closed: ReadonlySet<string> = new Set(['Every export', 'Decisions'])
