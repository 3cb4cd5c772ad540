import {
  aListOfStrings,
  anObject,
  aNonEmptyString,
  isStorable,
  listOf,
  optionsOf,
  repeatsMember,
  required,
} from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'
import { base64url, createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'

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
  now: number,
  { softwareStatements: trusted, issuer: server, endpoint }: StatementReceiver,
): Promise<VerifiedStatement> {
  if (typeof statement !== 'string') throw new RegistrationError('statement_invalid')
  const issuer = trusted.find((candidate) => candidate.issuer === issuerOf(statement))
  if (issuer === undefined) throw new RegistrationError('statement_unapproved')
  try {
    const { payload, protectedHeader } = await jwtVerify(statement, createLocalJWKSet(issuer.jwks), {
      issuer: issuer.issuer,
      algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
      currentDate: new Date(now * 1000),
    })
    requireStatement(statement, { ...payload, typ: protectedHeader.typ }, [server, endpoint])
    return { claims: payload as JsonObject, issuer }
  } catch (cause) {
    throw new RegistrationError('statement_invalid', { cause })
  }
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
 * Refuses JWTs that the issuer has signed for another purpose (RFC 8725 §3.11, §3.12). Otherwise, with an OpenID provider
 * as the issuer, any ID token of any of its users would register clients. RFC 7591 §2.3 registers no `typ`.
 * @throws TypeError saying what is wrong.
 */
function requireStatement(
  statement: string,
  { typ, software_id: softwareId, nonce, sub, aud }: Readonly<Record<string, unknown>>,
  receivers: readonly string[],
): void {
  const isOwnType = typeof typ === 'string' && statementTypes.has(typ.toLowerCase())
  if (typ !== undefined && !isOwnType) throw new TypeError('The JWT has the typ of another kind of JWT.')
  // RFC 8259 §4: the meaning of a repeated member differs between parsers, such as the one of the issuer and this one.
  if (statement.split('.', 2).some((part) => !isUnambiguous(part)))
    throw new TypeError('A member of the JWT is repeated.')
  // RFC 7591 §2.3: the statement is about a piece of software.
  if (typeof softwareId !== 'string' || softwareId === '') throw new TypeError('The JWT has no software_id.')
  if (nonce !== undefined || (sub !== undefined && aud !== undefined))
    throw new TypeError('The JWT is about a user, as an ID token.')
  // RFC 7519 §4.1.3.
  if (aud !== undefined && ![aud].flat().some((name) => receivers.some((own) => own === name)))
    throw new TypeError('The JWT is for another server.')
}

/** Whether a part of a JWT is JSON that every parser reads alike and every store keeps. */
function isUnambiguous(part: string): boolean {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(base64url.decode(part))
  return !repeatsMember(text) && isStorable(JSON.parse(text))
}

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
    throw new RegistrationError('statement_invalid', { cause })
  }
}
