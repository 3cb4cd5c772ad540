import { aListOfStrings, anObject, aNonEmptyString, listOf, optionsOf, required } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'

import type { RegistrationPolicy } from './policy.ts'
import { RegistrationError } from './refusals.ts'

/** A trusted issuer of software statements, and the limits for clients that register with them. */
export interface TrustedStatements extends RegistrationPolicy {
  /** The claim `iss` of its statements. */
  readonly issuer: string
  /** Its public keys. */
  readonly jwks: JSONWebKeySet
}

export const trustedStatements = optionsOf<TrustedStatements>({
  issuer: required(aNonEmptyString),
  jwks: required(
    (value) =>
      optionsOf<Pick<JSONWebKeySet, 'keys'>>({ keys: required(listOf(anObject)) })(value) && 'must be a key set',
  ),
  grantTypes: required(aListOfStrings),
  scopes: required(aListOfStrings),
  redirectHosts: required(aListOfStrings),
})

/**
 * Verifies a software statement (RFC 7591 §2.3).
 * @returns its claims, which take precedence over the other metadata of the request, and its issuer.
 * @throws RegistrationError statement_invalid | statement_unapproved.
 */
export async function verifyStatement(
  statement: unknown,
  trusted: readonly TrustedStatements[],
  now: number,
): Promise<{ readonly claims: JsonObject; readonly issuer: TrustedStatements }> {
  if (typeof statement !== 'string') throw new RegistrationError('statement_invalid')
  const issuer = trusted.find((candidate) => candidate.issuer === issuerOf(statement))
  if (issuer === undefined) throw new RegistrationError('statement_unapproved')
  try {
    const { payload } = await jwtVerify(statement, createLocalJWKSet(issuer.jwks), {
      issuer: issuer.issuer,
      algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      currentDate: new Date(now * 1000),
    })
    return { claims: payload as JsonObject, issuer }
  } catch (cause) {
    throw new RegistrationError('statement_invalid', { cause })
  }
}

function issuerOf(statement: string): string | undefined {
  try {
    return decodeJwt(statement).iss
  } catch (cause) {
    throw new RegistrationError('statement_invalid', { cause })
  }
}
