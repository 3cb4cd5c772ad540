import type { Section } from './section.ts'

/** `llms.txt`: every page with its first paragraph, by section, as links to the Markdown twins. */
export const llmsIndex = (sections: readonly Section[]): string =>
  [
    '# Mintmark',
    '> Makes your own TypeScript server an OAuth 2.0 and OpenID Connect authorization server, with inbound SCIM 2.0: plain functions over your storage, your accounts and your HTTP.',
    'All pages in one file: [llms-full.txt](llms-full.txt).',
    ...sections.filter(({ pages }) => pages.length > 0).map(section),
  ].join('\n\n') + '\n'

const section = ({ title, pages }: Section): string =>
  `## ${title}\n\n${pages.map((page) => `- [${page.title}](${page.path})${page.summary === '' ? '' : `: ${shortened(page.summary)}`}`).join('\n')}`

/** `llms-full.txt`: the text of every page, each behind its name. Exports and decisions are left to their own pages. */
export const llmsFull = (sections: readonly Section[]): string =>
  sections
    .filter(({ title }) => !['Every export', 'Decisions'].includes(title))
    .flatMap(({ pages }) => pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}\n`))
    .join('\n')

const shortened = (text: string): string =>
  text.length <= 200 ? text : `${text.slice(0, text.lastIndexOf(' ', 197))} …`
