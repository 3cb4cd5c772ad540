import type { ServerRequest } from '@mintmark/core/http'
import { fieldValues, formFields, singleField } from './form-fields.ts'

/** What a person decided on the consent page. */
export interface ConsentDecision {
  readonly decision: 'allow' | 'deny'
  /**
   * The scopes left checked, with `openid` when it was requested; none after a denial. The server checks that each of
   * them was requested.
   */
  readonly grantedScopes: readonly string[]
}

/**
 * Reads the form of `consentPage`. Whatever is not a clear yes is a no: a malformed form, no decision or two, a scope
 * that repeats or cannot be one. That the form came from this very page is for the server's `interaction()` to check.
 */
export function readConsentForm(request: ServerRequest): ConsentDecision {
  const fields = formFields(request)
  if (fields === undefined || singleField(fields, 'decision') !== 'allow') return denied

  const grantedScopes = fieldValues(fields, 'scope')
  const repeats = new Set(grantedScopes).size < grantedScopes.length
  return repeats || !grantedScopes.every(isScopeToken) ? denied : { decision: 'allow', grantedScopes }
}

/** RFC 6749 §3.3. */
const isScopeToken = (value: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/.test(value)

const denied: ConsentDecision = { decision: 'deny', grantedScopes: [] }
