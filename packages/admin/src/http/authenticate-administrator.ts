import { requireSameOrigin } from '@mintmark/core'
import type { ServerRequest } from '@mintmark/core/http'
import type { Brand } from '@mintmark/storage-interface'

import type { Actor } from '../audit/actor.ts'
import { AdminError } from '../error/admin-error.ts'
import type { AdminServerOptions } from './admin-server-options.ts'

interface Caller {
  readonly actor: Actor
  readonly scopes: readonly string[]
}

/** Who has proved to administer, with the scope values that they have. Made by `authenticateAdministrator` alone. */
export type AdminCaller = Brand<Caller, 'AdminCaller'>

type Authenticators = Pick<AdminServerOptions, 'accessTokens' | 'administrators' | 'authorize'>

/**
 * Proves who calls: by the host's own check, or by an access token of ours (RFC 6750 §2.1).
 * @throws AdminError 401 — `credentials_missing` | `credentials_invalid`; 403 — `not_an_administrator` | `cross_site`.
 */
export async function authenticateAdministrator(request: ServerRequest, deps: Authenticators): Promise<AdminCaller> {
  const admitted = await deps.authorize?.(request)
  if (admitted !== undefined) {
    requireOwnPage(request)
    return proven(admitted)
  }
  return authenticateByToken(bearerToken(request), deps)
}

async function authenticateByToken(
  token: string,
  { accessTokens, administrators }: Authenticators,
): Promise<AdminCaller> {
  const found = await accessTokens?.accessToken(token)
  // RFC 6750 §3.1 invalid_token.
  if (found === undefined) throw new AdminError('credentials_invalid')
  const { subject, clientId, scopes } = found
  if (subject === clientId) return proven({ actor: { kind: 'client', id: clientId }, scopes })
  // RFC 9700 §2.3: a scope says what a person let a client do in their name; it makes no administrator of them.
  if ((await administrators?.(subject)) !== true) throw new AdminError('not_an_administrator')
  return proven({ actor: { kind: 'person', id: subject }, scopes })
}

const proven = (caller: Caller): AdminCaller => caller as AdminCaller

function bearerToken(request: ServerRequest): string {
  const header = request.headers.get('authorization')
  // RFC 6750 §3.1: no credentials, and so a bare challenge.
  if (header === undefined || header === '') throw new AdminError('credentials_missing')
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)
  // RFC 6750 §2: one token; a repeated header is two.
  if (match?.[1] === undefined || request.repeatedHeaders.has('authorization'))
    throw new AdminError('credentials_invalid')
  return match[1]
}

/** What a browser sends along by itself proves nothing about the page that made it do so. */
function requireOwnPage(request: ServerRequest): void {
  if (!['cookie', 'origin', 'sec-fetch-site'].some((name) => request.headers.has(name))) return
  try {
    requireSameOrigin(request.method === 'HEAD' ? { ...request, method: 'GET' } : request)
  } catch (cause) {
    // RFC 9700 §4.7.
    throw new AdminError('cross_site', { cause })
  }
}
