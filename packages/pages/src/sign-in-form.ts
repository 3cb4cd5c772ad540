import type { ServerRequest } from '@mintmark/core/http'
import { formFields, singleField } from './form-fields.ts'

/** What a person typed on the sign-in page. */
export interface SignInAttempt {
  /** At most 256 characters, without the spaces around it. */
  readonly username: string
  /** Exactly as typed, at most 1024 characters: hashing a longer one would be work for an attacker to give. */
  readonly password: string
}

/**
 * Reads the form of `signInPage`. `undefined` for a form that is malformed, misses a field or repeats it, or is out of
 * bounds: show the page again with the error `incomplete`.
 */
export function readSignInForm(request: ServerRequest): SignInAttempt | undefined {
  const fields = formFields(request)
  if (fields === undefined) return undefined

  const username = singleField(fields, 'username')?.trim()
  const password = singleField(fields, 'password')
  if (username === undefined || password === undefined) return undefined
  return isWithin(username, 256) && isWithin(password, 1024) ? { username, password } : undefined
}

const isWithin = (text: string, longest: number): boolean => text.length > 0 && text.length <= longest
