import { ScimError } from '../src/index.ts'

/** What came of a call: its value, or that it was refused. A failure of any other kind is passed on. */
export function outcomeOf<T>(call: () => T): { readonly value: T } | { readonly refusal: ScimError } {
  try {
    return { value: call() }
  } catch (error) {
    if (error instanceof ScimError) return { refusal: error }
    throw error
  }
}
