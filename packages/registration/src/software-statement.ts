import {
  aListOfStrings,
  anObject,
  aNonEmptyString,
  isCompactJws,
  isStorable,
  listOf,
  optionsOf,
  required,
} from '@mintmark/internal'
import { clientAlgorithms, verifyWithKeys } from '@mintmark/core/internal'
import type { JsonObject } from '@mintmark/storage-interface'
import { decodeJwt, type JSONWebKeySet } from 'jose'

import type { RegistrationPolicy } from './policy.ts'
import { refuse } from './refusals.ts'

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
  now: number,
  { softwareStatements: trusted, issuer: server, endpoint }: StatementReceiver,
): Promise<VerifiedStatement> {
  if (typeof statement !== 'string' || !isCompactJws(statement, maxLength)) throw refuse('statement_invalid')
  const issuer = trusted.find((candidate) => candidate.issuer === issuerOf(statement))
  if (issuer === undefined) throw refuse('statement_unapproved')
  const verified = await verifyWithKeys(issuer.jwks, statement, clientAlgorithms)
  if (verified === undefined) throw refuse('statement_invalid')
  const { header, claims } = verified
  const problem = findProblem({ ...claims, typ: header.typ }, { now, receivers: [server, endpoint] })
  if (problem !== undefined) throw refuse('statement_invalid', { cause: new TypeError(problem) })
  return { claims, issuer }
}

/** A statement that a trusted issuer has signed. */
export interface VerifiedStatement {
  readonly claims: JsonObject
  readonly issuer: TrustedStatements
}

/** The server that a statement is sent to. */
interface StatementReceiver {
  readonly softwareStatements: readonly TrustedStatements[]
  readonly issuer: string
  readonly endpoint: string
}

/**
 * Finds out why a JWT that the issuer has signed is not a current statement for this server. JWTs for another purpose are
 * refused (RFC 8725 §3.11, §3.12): otherwise, with an OpenID provider as the issuer, any ID token of any of its users would
 * register clients. RFC 7591 §2.3 registers no `typ`.
 */
function findProblem(
  { typ, ...claims }: Readonly<Record<string, unknown>>,
  { now, receivers }: { readonly now: number; readonly receivers: readonly string[] },
): string | undefined {
  const { software_id: softwareId, nonce, sub, aud, exp, nbf } = claims
  const isOwnType = typeof typ === 'string' && statementTypes.has(typ.toLowerCase())
  if (typ !== undefined && !isOwnType) return 'The JWT has the typ of another kind of JWT.'
  if (!isStorable(claims)) return 'The JWT has text that no database stores.'
  // RFC 7519 §4.1.4, §4.1.5.
  if (exp !== undefined && !(typeof exp === 'number' && now < exp)) return 'The JWT has expired.'
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now)) return 'The JWT is not valid yet.'
  // RFC 7591 §2.3: the statement is about a piece of software.
  if (typeof softwareId !== 'string' || softwareId === '') return 'The JWT has no software_id.'
  if (nonce !== undefined || (sub !== undefined && aud !== undefined)) return 'The JWT is about a user, as an ID token.'
  // RFC 7519 §4.1.3.
  if (aud !== undefined && ![aud].flat().some((name) => receivers.some((own) => own === name)))
    return 'The JWT is for another server.'
  return undefined
}

/** In characters. Larger ones are not decoded. */
const maxLength = 65_536

/** RFC 7515 §4.1.9: `application/` may be left out. */
const statementTypes: ReadonlySet<string> = new Set([
  'jwt',
  'application/jwt',
  'software-statement+jwt',
  'application/software-statement+jwt',
])

function issuerOf(statement: string): string | undefined {
  try {
    return decodeJwt(statement).iss
  } catch (cause) {
    throw refuse('statement_invalid', { cause })
  }
}
