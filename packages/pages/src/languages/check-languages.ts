import { english } from './english.ts'
import { type Messages, placeholdersOf } from './messages.ts'

/**
 * Checks what the compiler checks too, for catalogues that are not written in TypeScript, and that placeholders are spelled right.
 * @throws TypeError that names the language and the text.
 */
export function checkLanguages(catalogues: readonly Messages[]): void {
  if (catalogues.length === 0) throw new TypeError('createPages: languages needs at least one.')
  for (const messages of catalogues) {
    checkLanguage(messages)
    checkTexts(messages)
  }
  const locales = catalogues.map(({ lang }) => lang)
  const repeated = locales.find((lang, at) => locales.indexOf(lang) < at)
  if (repeated !== undefined) throw new TypeError(`createPages: languages has two catalogues for ${repeated}.`)
}

function checkLanguage({ lang, dir }: Messages): void {
  if (!isLanguageTag(lang))
    throw new TypeError(`${JSON.stringify(lang)} is not a language tag (BCP 47), such as de or pt-BR.`)
  if (dir !== 'ltr' && dir !== 'rtl') throw new TypeError(`The texts in ${lang}: dir must be ltr or rtl.`)
}

function isLanguageTag(lang: string): boolean {
  try {
    return Intl.getCanonicalLocales(lang)[0] === lang
  } catch {
    // It throws a RangeError for what is not a tag.
    return false
  }
}

/** English has every text and every placeholder. Sentences for scopes are up to the catalogue. */
function checkTexts(messages: Messages): void {
  const expected = textsOf(english)
  const texts = textsOf(messages)
  for (const [name, text] of texts) {
    const problem = textProblem(text, expected.get(name), name.startsWith('consent.scopes.'))
    if (problem !== undefined) throw new TypeError(`The texts in ${messages.lang}: ${name} ${problem}.`)
  }
  const missing = [...expected.keys()].find((name) => !texts.has(name))
  if (missing !== undefined) throw new TypeError(`The texts in ${messages.lang}: ${missing} is missing.`)
}

function textProblem(text: unknown, expected: unknown, isOptional: boolean): string | undefined {
  if (typeof expected !== 'string' && !isOptional) return 'is unknown'
  if (typeof text !== 'string' || text.trim() === '') return 'must be a text'
  const needed = typeof expected === 'string' ? placeholdersOf(expected).join(', ') : ''
  const used = placeholdersOf(text).join(', ')
  return needed === used ? undefined : `must contain ${needed || 'no placeholder'}, and contains ${used || 'none'}`
}

/** Every text with its path, such as `signIn.title`. */
function textsOf(group: object, prefix = ''): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(group).flatMap(([key, value]: [string, unknown]) =>
      isGroup(value) ? [...textsOf(value, `${prefix}${key}.`)] : [[`${prefix}${key}`, value] as const],
    ),
  )
}

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null
