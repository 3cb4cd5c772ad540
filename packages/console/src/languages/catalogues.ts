import { arabic } from './arabic.ts'
import { dutch } from './dutch.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { hebrew } from './hebrew.ts'
import { italian } from './italian.ts'
import { japanese } from './japanese.ts'
import type { Messages } from './messages.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

/** The languages of the console (BCP 47). */
export type ConsoleLanguage = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'ja' | 'ar' | 'he'

/** Every catalogue, English first. The type demands one for each language. */
export const catalogues: Readonly<Record<ConsoleLanguage, Messages>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  ja: japanese,
  ar: arabic,
  he: hebrew,
}
