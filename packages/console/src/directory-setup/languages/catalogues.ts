import type { ConsoleLanguage } from '../../languages/catalogues.ts'
import { arabic } from './arabic.ts'
import { dutch } from './dutch.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { hebrew } from './hebrew.ts'
import { italian } from './italian.ts'
import { japanese } from './japanese.ts'
import type { SetupMessages } from './messages.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

/** Every catalogue, English first. The type demands one for each language. */
export const setupCatalogues: Readonly<Record<ConsoleLanguage, SetupMessages>> = {
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
