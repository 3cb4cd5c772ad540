import { english } from './english.ts'
import type { Messages } from './messages.ts'

/** The languages of the console (BCP 47). */
export type ConsoleLanguage = 'en'

/** Every catalogue. The type demands one for each language. */
export const catalogues: Readonly<Record<ConsoleLanguage, Messages>> = {
  en: english,
}
