import { createPages, type PagesOptions } from './create-pages.ts'
import { gallery } from './gallery.ts'
import { allLanguages } from './languages/all-languages.ts'
import { english } from './languages/english.ts'
import type { Messages } from './languages/messages.ts'

export type ColorScheme = 'light' | 'dark'

/** What a preview shows. */
export interface PreviewChoice {
  /**
   * Tags of languages (BCP 47) of the options or of this package.
   * @defaultValue The languages of the options, or English.
   */
  readonly languages: readonly string[] | undefined
  readonly colorSchemes: readonly ColorScheme[]
}

/**
 * Renders every page of a host with examples: HTML files by path. `index.html` shows all others in frames, as wide as a desktop
 * and as a phone.
 * @throws TypeError for what `createPages` refuses, and for an unknown language.
 */
export function previewFiles(options: PagesOptions, choice: PreviewChoice): ReadonlyMap<string, string> {
  const languages = chosenLanguages(options, choice)
  const pages = languages.flatMap((messages) =>
    choice.colorSchemes.flatMap((scheme) => {
      const shown = gallery(createPages({ ...options, languages: [messages] }))
      return Object.entries(shown).map(
        ([name, { body }]) => [`${messages.lang}/${scheme}/${name}.html`, inScheme(String(body), scheme)] as const,
      )
    }),
  )
  return new Map([['index.html', indexOf(pages.map(([path]) => path))], ...pages])
}

function chosenLanguages(options: PagesOptions, { languages: tags }: PreviewChoice): readonly Messages[] {
  // The catalogues of the options are checked here too.
  createPages(options)
  const own = options.languages ?? [english]
  const known = [...own, ...allLanguages]
  if (tags === undefined) return own
  return tags.map((tag) => {
    const found = known.find(({ lang }) => lang === tag)
    if (found !== undefined) return found
    const names = [...new Set(known.map(({ lang }) => lang))].join(', ')
    throw new TypeError(`There is no language ${tag}. There are ${names}.`)
  })
}

/** Shows the page in one scheme, whatever the browser prefers: a preview compares both. */
const inScheme = (body: string, scheme: ColorScheme): string =>
  body
    .replaceAll('(prefers-color-scheme: dark)', scheme === 'dark' ? 'all' : 'not all')
    .replaceAll('color-scheme: light dark', `color-scheme: ${scheme}`)
    .replace('name="color-scheme" content="light dark"', `name="color-scheme" content="${scheme}"`)

/** The paths consist of tags of languages and names of pages, so they need no escaping. */
const indexOf = (paths: readonly string[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Preview of the pages</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<h1>Preview of the pages</h1>
${paths.map((path) => `<h2><a href="${path}">${path}</a></h2>\n${widths.map((width) => frameOf(path, width)).join('\n')}\n`).join('')}</html>
`

const frameOf = (path: string, width: number): string =>
  `<iframe src="${path}" title="${path}, ${width} pixels wide" loading="lazy" width="${width}" height="720"></iframe>`

/** Of a desktop and a phone. */
const widths = [800, 360]
