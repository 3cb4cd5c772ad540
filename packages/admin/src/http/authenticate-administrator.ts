import { requireSameOrigin } from '@mintmark/core'
import type { RequestHead } from '@mintmark/core/http'
import { aListOfStrings, anObject, aString, checkOptions, required } from '@mintmark/internal'
import type { Brand } from '@mintmark/storage-interface'

import type { Actor } from '../audit/admin-event.ts'
import { refuse } from '../error/refusals.ts'
import type { AdminServerOptions } from './admin-server-options.ts'

interface Caller {
  readonly actor: Actor
  readonly scopes: readonly string[]
  readonly name?: string
}

/** An authenticated administrator with their scope values. Only `authenticateAdministrator` creates it. */
export type AdminCaller = Brand<Caller, 'AdminCaller'>

type Authenticators = Pick<AdminServerOptions, 'accessTokens' | 'administrators' | 'authorize'>

/**
 * Authenticates the caller by the host's own check, or by an access token of this issuer (RFC 6750 §2.1).
 * @throws AdminError 401 `credentials_missing` | `credentials_invalid`; 403 `not_an_administrator` | `cross_site`.
 */
export async function authenticateAdministrator(request: RequestHead, deps: Authenticators): Promise<AdminCaller> {
  const administrator = await deps.authorize?.(request)
  if (administrator !== undefined) {
    // A text of scope values would allow every scope value that is a part of it.
    checkOptions('authorize', administrator, {
      actor: required(anObject),
      scopes: required(aListOfStrings),
      name: aString,
    })
    requireOwnPage(request)
    return toAdminCaller(administrator)
  }
  return authenticateByToken(bearerToken(request), deps)
}

async function authenticateByToken(
  token: string,
  { accessTokens, administrators }: Authenticators,
): Promise<AdminCaller> {
  const accessToken = await accessTokens?.accessToken(token)
  if (accessToken === undefined) throw refuse('credentials_invalid')
  const { subject, clientId, scopes } = accessToken
  if (subject === clientId) return toAdminCaller({ actor: { kind: 'client', id: clientId }, scopes })
  // RFC 9700 §2.3: a scope limits what a client may do for a user. It does not make the user an administrator.
  if ((await administrators?.(subject)) !== true) throw refuse('not_an_administrator')
  return toAdminCaller({ actor: { kind: 'person', id: subject }, scopes })
}

const toAdminCaller = (caller: Caller): AdminCaller => caller as AdminCaller

function bearerToken(request: RequestHead): string {
  const header = request.headers.get('authorization')
  // RFC 6750 §3.1: the challenge to a request without credentials has no error code.
  if (header === undefined || header === '') throw refuse('credentials_missing')
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)
  // RFC 6750 §2: a request has one token.
  if (match?.[1] === undefined || request.repeatedHeaders.has('authorization')) throw refuse('credentials_invalid')
  return match[1]
}

/** Requires a browser's request to come from a page of the issuer: browsers add cookies to the requests of any page. */
function requireOwnPage(request: RequestHead): void {
  if (!['cookie', 'origin', 'sec-fetch-site'].some((name) => request.headers.has(name))) return
  try {
    requireSameOrigin(request.method === 'HEAD' ? { ...request, method: 'GET' } : request)
  } catch (cause) {
    throw refuse('cross_site', { cause })
  }
}
