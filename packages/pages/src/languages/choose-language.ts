import type { RequestHead } from '@mintmark/core/http'
import { english } from './english.ts'
import type { Messages } from './messages.ts'

/** How a page chooses its language. A pending interaction has `uiLocales`. */
export interface LanguageChoice {
  /** Those of `createPages`, which checks them. */
  readonly languages?: readonly Messages[] | undefined
  /** A language that takes precedence over all others, such as a setting of the user's (BCP 47). */
  readonly locale?: string | undefined
  /** The languages that the client asks for (`ui_locales`, OpenID Connect Core §3.1.2.1), best first. */
  readonly uiLocales?: readonly string[] | undefined
}

/**
 * The texts in the language that fits best: the host's choice first, then the client's (`ui_locales`), then the browser's
 * (`Accept-Language`, RFC 9110 §12.5.4). A header that cannot be read counts as absent.
 */
export function messagesFor(choice: LanguageChoice, request: RequestHead | undefined): Messages {
  const { languages: [first = english, ...others] = [], locale, uiLocales = [] } = choice
  if (others.length === 0) return first

  const wishes = [...(locale === undefined ? [] : [locale]), ...uiLocales, ...languageRanges(request)]
  for (const wish of wishes.slice(0, mostWishes)) {
    const catalogue = lookUp(wish.toLowerCase(), [first, ...others])
    if (catalogue !== undefined) return catalogue
  }
  return first
}

/** The ranges of the request's header, best first. The sort is stable, so equals keep their order. */
function languageRanges(request: RequestHead | undefined): readonly string[] {
  return (request?.headers.get('accept-language') ?? '')
    .split(',', mostWishes)
    .map((item) => {
      const [, range, quality = '1'] = /^\s*([a-z0-9-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? []
      return { range, quality: Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .flatMap(({ range }) => (range === undefined ? [] : [range]))
}

/** `de-AT` gets `de` (RFC 4647 §3.4), and `pt` gets `pt-BR` where there is no closer one. */
function lookUp(range: string, catalogues: readonly Messages[]): Messages | undefined {
  const [language = ''] = range.split('-', 1)
  const related = catalogues.filter(({ lang }) => lang.toLowerCase().split('-', 1)[0] === language)
  const [closest] = related
    .filter(({ lang }) => `${range}-`.startsWith(`${lang.toLowerCase()}-`))
    .toSorted((a, b) => b.lang.length - a.lang.length)
  return closest ?? related[0]
}

/** No browser and no client lists more languages. */
export const mostWishes = 32
