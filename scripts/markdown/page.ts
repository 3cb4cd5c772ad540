import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A Markdown file that people read. */
export interface Page {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Every Markdown file of the repository, apart from what is generated and not committed. */
export const readPages = (): readonly Page[] =>
  pagePaths('.').map((path) => ({ path, text: readFileSync(path, 'utf8') }))

function pagePaths(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return notRead.has(name) || notRead.has(path) ? [] : pagePaths(path)
    return name.endsWith('.md') ? [path] : []
  })
}

const notRead: ReadonlySet<string> = new Set([
  '.git',
  '.vitepress',
  'node_modules',
  'dist',
  'coverage',
  'docs/reference/api',
])
