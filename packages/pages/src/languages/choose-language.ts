import type { RequestHead } from '@mintmark/core/http'
import { english } from './english.ts'
import type { Messages } from './messages.ts'

/** The languages from which a page chooses. A pending interaction has `uiLocales`. */
export interface LanguageChoice {
  /** The catalogues; `createPages` sets and checks them. */
  readonly languages?: readonly Messages[] | undefined
  /** A language that takes precedence over all others, such as a setting of the user's (BCP 47). */
  readonly locale?: string | undefined
  /** The languages that the client asks for (`ui_locales`, OpenID Connect Core §3.1.2.1), best first. */
  readonly uiLocales?: readonly string[] | undefined
}

/**
 * Returns the texts in the language that fits best: the host's choice first, then the client's (`ui_locales`), then the
 * browser's (`Accept-Language`, RFC 9110 §12.5.4). Malformed parts of the header are ignored.
 */
export function messagesFor(choice: LanguageChoice, request: RequestHead | undefined): Messages {
  const { languages: [first = english, ...others] = [], locale, uiLocales = [] } = choice
  return closestLanguage([first, ...others], [...(locale === undefined ? [] : [locale]), ...uiLocales], request)
}

/** Returns the catalogue that fits the preferences best, then the browser's; the first if none fits. */
export function closestLanguage<Catalogue extends { readonly lang: string }>(
  catalogues: readonly [Catalogue, ...(readonly Catalogue[])],
  preferences: readonly string[],
  request: RequestHead | undefined,
): Catalogue {
  const [first, ...others] = catalogues
  if (others.length === 0) return first

  for (const preference of [...preferences, ...languageRanges(request)].slice(0, maxLanguages)) {
    const catalogue = lookUp(preference.toLowerCase(), catalogues)
    if (catalogue !== undefined) return catalogue
  }
  return first
}

/** Returns the language ranges of the header, best first. The sort is stable, so ranges of equal quality keep their order. */
function languageRanges(request: RequestHead | undefined): readonly string[] {
  return (request?.headers.get('accept-language') ?? '')
    .split(',', maxLanguages)
    .map((item) => {
      const [, range, quality = '1'] = /^\s*([a-z0-9-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? []
      return { range, quality: Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .flatMap(({ range }) => (range === undefined ? [] : [range]))
}

/** Finds a catalogue: `de` for `de-AT` (RFC 4647 §3.4), and `pt-BR` for `pt` if there is no closer one. */
function lookUp<Catalogue extends { readonly lang: string }>(
  range: string,
  catalogues: readonly Catalogue[],
): Catalogue | undefined {
  const [language = ''] = range.split('-', 1)
  const related = catalogues.filter(({ lang }) => lang.toLowerCase().split('-', 1)[0] === language)
  const [closest] = related
    .filter(({ lang }) => `${range}-`.startsWith(`${lang.toLowerCase()}-`))
    .toSorted((a, b) => b.lang.length - a.lang.length)
  return closest ?? related[0]
}

/** More languages than browsers and clients list. Further languages are ignored. */
export const maxLanguages = 32
