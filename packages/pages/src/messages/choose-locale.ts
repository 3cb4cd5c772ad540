import { english } from './english.ts'
import { german } from './german.ts'
import type { Messages } from './messages.ts'

/** A language that the pages speak. */
export type Locale = keyof typeof catalogues

/** How a page chooses its language. A pending interaction has `uiLocales`. */
export interface LanguageChoice {
  /** The language, when the host has chosen one: by `chooseLocale`, which asks the browser too, or by a setting of the person's. */
  readonly locale?: Locale | undefined
  /** The languages that the client asks for (`ui_locales`, OpenID Connect Core §3.1.2.1), best first. */
  readonly uiLocales?: readonly string[] | undefined
}

/** The texts of the language that was chosen, else of the first that the client asks for and we speak, else of English. */
export const messagesIn = ({ locale, uiLocales = [] }: LanguageChoice): Messages =>
  catalogues[locale === undefined ? chooseLocale(uiLocales, undefined) : known(locale)]

/**
 * Chooses the language of the pages: what the client asks for first (`ui_locales`, OpenID Connect Core §3.1.2.1, best
 * first), then what the browser prefers, then English. `de-AT` finds `de` (RFC 4647 §3.4).
 * @param acceptLanguage the header's value (RFC 9110 §12.5.4); one that cannot be read counts as absent.
 */
export function chooseLocale(uiLocales: readonly string[], acceptLanguage: string | undefined): Locale {
  const wishes = [...uiLocales, ...languageRanges(acceptLanguage ?? '')].slice(0, mostWishes)
  return wishes.map(lookUp).find((locale) => locale !== undefined) ?? 'en'
}

/** The header's ranges, best first. The sort is stable, so equals keep their order. */
function languageRanges(header: string): readonly string[] {
  return header
    .split(',', mostWishes)
    .map((item) => {
      const [, range, quality = '1'] = /^\s*([a-z0-9-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? []
      return { range, quality: Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .flatMap(({ range }) => (range === undefined ? [] : [range]))
}

function lookUp(range: string): Locale | undefined {
  const [language = ''] = range.toLowerCase().split('-', 1)
  return isLocale(language) ? language : undefined
}

function known(locale: Locale): Locale {
  if (!isLocale(locale)) throw new TypeError(`locale must be ${Object.keys(catalogues).join(' or ')}.`)
  return locale
}

const isLocale = (language: string): language is Locale => Object.hasOwn(catalogues, language)

const catalogues = { en: english, de: german } satisfies Readonly<Record<string, Messages>>
/** Nobody's browser asks for more languages. */
export const mostWishes = 32
