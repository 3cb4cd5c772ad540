import { misspelledNameOf } from '@mintmark/internal'
import { en } from 'zod/locales'

/**
 * English sentences for the issues that a schema reports. `zod/mini` has none, and zod's global configuration belongs
 * to the host.
 */
const inWords = { error: en().localeError }

/** The sentences, and for an unknown name at the top the valid names and the one that was probably meant. */
export const inWordsFor = (names: readonly string[]): typeof inWords => ({
  error: (issue) => {
    if (issue.code !== 'unrecognized_keys' || (issue.path ?? []).length > 0) return inWords.error(issue)
    const unknown = issue.keys.map((key) => {
      const meant = misspelledNameOf(key, names)
      return `${key} is not an option.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
    })
    return `${unknown.join(' ')} The options are ${names.join(', ')}.`
  },
})
