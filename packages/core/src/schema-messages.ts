import { misspelledNameOf } from '@mintmark/internal'
import { en } from 'zod/locales'

/**
 * English sentences for the issues that a schema reports. `zod/mini` has none, and zod's global configuration belongs
 * to the host.
 */
const inWords = { error: en().localeError }

/**
 * The sentences. They list the valid names for an unknown one, and the name that was probably meant; and they say how to
 * create what is missing.
 * @param creators how to create the values of options that a host cannot write by hand, by option.
 */
export const inWordsFor = (
  schema: { readonly shape: Readonly<Record<string, unknown>> },
  creators: Readonly<Record<string, string>> = {},
): typeof inWords => ({
  error: (issue) => {
    const [option, ...rest] = issue.path ?? []
    // The sentence of the check that the name failed.
    if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message).join(' ')
    if (issue.code === 'invalid_type' && issue.input === undefined && rest.length === 0 && typeof option === 'string')
      return creators[option] === undefined ? `${option} is missing` : `${option} is missing: pass ${creators[option]}`
    const names = option === undefined ? Object.keys(schema.shape) : memberNames(schema.shape[String(option)])
    if (issue.code !== 'unrecognized_keys' || rest.length > 0 || names === undefined) return inWords.error(issue)
    const unknown = issue.keys.map((key) => {
      const meant = misspelledNameOf(key, names)
      return `${key} is not an option.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
    })
    return `${unknown.join(' ')} The options are ${names.join(', ')}.`
  },
})

/** Returns the names of the members of an option; `undefined` if it is not a plain object. */
function memberNames(schema: unknown): readonly string[] | undefined {
  const definition = memberOf(schema, 'def')
  const inner = memberOf(definition, 'innerType')
  if (inner !== undefined) return memberNames(inner)
  const shape = memberOf(definition, 'shape')
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : undefined
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined
