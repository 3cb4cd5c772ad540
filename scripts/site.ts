// Builds the site from the files of docs into docs/.vitepress/dist, with a Markdown twin of every page and llms.txt.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { build } from 'vitepress'

import { writeApiPages } from './site/api-pages.ts'
import { llmsFull, llmsIndex } from './site/llms.ts'
import { withSiteLinks } from './site/outward-link.ts'
import { readPage, siteSections } from './site/section.ts'

const output = 'docs/.vitepress/dist'

rmSync('docs/reference/api', { recursive: true, force: true })
await writeApiPages()
await build('docs')

const sections = siteSections()
for (const { path, text } of [readPage('index.md'), ...sections.flatMap(({ pages }) => pages)]) {
  write(path, withSiteLinks(text, path, process.env['SITE_SOURCES']))
}
cpSync('docs/reference/openapi', join(output, 'reference/openapi'), { recursive: true })
write('llms.txt', llmsIndex(sections))
write('llms-full.txt', llmsFull(sections))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(output, path)), { recursive: true })
  writeFileSync(join(output, path), text)
}
