import { english } from './english.ts'
import { type Messages, placeholdersOf } from './messages.ts'

/**
 * Checks that each catalogue has every text with the right placeholders. For catalogues in TypeScript, the compiler checks
 * most of this, but not for unknown placeholders.
 * @throws TypeError that names the language and the text.
 */
export function checkLanguages(catalogues: readonly Messages[]): void {
  if (catalogues.length === 0) throw new TypeError('createPages: languages needs at least one catalogue.')
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
  if (dir !== 'ltr' && dir !== 'rtl') throw new TypeError(`The messages in ${lang}: dir must be ltr or rtl.`)
}

function isLanguageTag(lang: string): boolean {
  try {
    return Intl.getCanonicalLocales(lang)[0] === lang
  } catch {
    // It throws a RangeError for a string that is not a language tag.
    return false
  }
}

/** Compares the texts with English, which has every text and every placeholder. Sentences for scopes are optional. */
function checkTexts(messages: Messages): void {
  const expected = textsOf(english)
  const texts = textsOf(messages)
  for (const [name, text] of texts) {
    const problem = textProblem(text, expected.get(name), name.startsWith('consent.scopes.'))
    if (problem !== undefined) throw new TypeError(`The messages in ${messages.lang}: ${name} ${problem}.`)
  }
  const missing = [...expected.keys()].find((name) => !texts.has(name))
  if (missing !== undefined) throw new TypeError(`The messages in ${messages.lang}: ${missing} is missing.`)
}

function textProblem(text: unknown, expected: unknown, isOptional: boolean): string | undefined {
  if (typeof expected !== 'string' && !isOptional) return 'is unknown'
  if (typeof text !== 'string') return 'must be a string'
  if (text.trim() === '') return 'must not be empty'
  const needed = typeof expected === 'string' ? listOfPlaceholders(expected) : ''
  const used = listOfPlaceholders(text)
  if (needed === used) return undefined
  return `must contain ${needed ? `the placeholders ${needed}` : 'no placeholders'}, but contains ${used || 'none'}`
}

const listOfPlaceholders = (text: string): string =>
  placeholdersOf(text)
    .map((name) => `{${name}}`)
    .join(', ')

/** Returns every text with its path, such as `signIn.title`. */
function textsOf(group: object, prefix = ''): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(group).flatMap(([key, value]: [string, unknown]) =>
      isGroup(value) ? [...textsOf(value, `${prefix}${key}.`)] : [[`${prefix}${key}`, value] as const],
    ),
  )
}

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null
