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

/** Every catalogue of this package, English first. */
export const allLanguages: readonly Messages[] = [
  english,
  german,
  french,
  spanish,
  italian,
  portuguese,
  dutch,
  japanese,
  arabic,
  hebrew,
]
