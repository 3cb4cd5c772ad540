import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

import { linksOf } from '../markdown/link.ts'

/** A part of the site: the pages of a folder, in their order. */
export interface Section {
  readonly title: string
  readonly pages: readonly SitePage[]
}

/** A page of the site. */
export interface SitePage {
  /** Below `docs`, such as `how-to/rotate-keys.md`. */
  readonly path: string
  /** Its first heading. */
  readonly title: string
  /** Its first paragraph, in one line. */
  readonly summary: string
  readonly text: string
}

/**
 * The parts of the site as they stand in the folders of `docs`. Pages that the start page links to come first, in its
 * order; the others follow by their titles.
 */
export function siteSections(): readonly Section[] {
  const order = linksOf({ path: 'docs/index.md', text: readFileSync('docs/index.md', 'utf8') })
  const rank = ({ path }: SitePage): number => (order.includes(path) ? order.indexOf(path) : order.length)
  return folders.map(({ title, within, named = () => true }) => ({
    title,
    pages: pagesIn(within)
      .filter(({ path }) => named(path))
      .toSorted((one, other) => rank(one) - rank(other) || compare(one, other)),
  }))
}

interface Folder {
  readonly title: string
  /** Below `docs`; empty for what stands in `docs` itself. */
  readonly within: string
  readonly named?: (path: string) => boolean
}

const folders: readonly Folder[] = [
  { title: 'Tutorial', within: 'tutorial' },
  { title: 'How to', within: 'how-to' },
  { title: 'Reference', within: 'reference' },
  { title: 'Explanation', within: 'explanation' },
  { title: 'What was measured and tried', within: '', named: (path) => path !== 'index.md' },
  { title: 'Every export', within: 'reference/api' },
  { title: 'Decisions', within: 'adr' },
]

/** A folder that is made by the build may not be there yet. */
function pagesIn(folder: string): readonly SitePage[] {
  if (!existsSync(join('docs', folder))) return []
  return readdirSync(join('docs', folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ name }) => readPage(posix.join(folder, name)))
}

/** Reads a page below `docs`. */
export function readPage(path: string): SitePage {
  const text = readFileSync(join('docs', path), 'utf8')
  const [, title = path, rest = ''] = /^# +(.+)\n([\s\S]*)$/m.exec(text) ?? []
  const paragraph = rest.split('\n\n').find((block) => /^[\w`*[]/.test(block.trim())) ?? ''
  return { path, title: plain(title), summary: plain(paragraph), text }
}

/** Without the marks of Markdown. */
const plain = (text: string): string =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|\\$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Decisions by their numbers, everything else by its title. */
const compare = (one: SitePage, other: SitePage): number =>
  one.path.startsWith('adr/') ? one.path.localeCompare(other.path) : one.title.localeCompare(other.title)
