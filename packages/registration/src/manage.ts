import { updateOwnRegistration } from '@mintmark/core/internal'
import {
  digestSecret,
  json,
  noStore,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import { clientId, type ClientRecord, type JsonObject } from '@mintmark/storage-interface'

import { readMetadata, toClientChange } from './metadata.ts'
import { limitRegistration, type SelfManagement } from './policy.ts'
import { refuse, type RegistrationError } from './refusals.ts'
import { registrationResponse, type Dependencies, readBody } from './register.ts'
import { verifyStatement } from './software-statement.ts'

/** A client that presented its registration access token. */
export interface Registrant {
  readonly client: ClientRecord
  readonly permission: SelfManagement
  readonly registrationToken: string
}

/**
 * Finds the client by its registration access token, before the body is read (RFC 7592 §2).
 * @param id the `client_id` in the path.
 */
export async function authenticateRegistrant(
  request: RequestHead,
  id: string,
  { storage }: Dependencies,
): Promise<Registrant> {
  const header = request.headers.get('authorization')
  if (header === undefined || header === '') throw refuse('registration_token_missing')
  const [, registrationToken = ''] = /^bearer +([A-Za-z0-9_-]{1,128}) *$/i.exec(header) ?? []
  // RFC 6750 §2: a request has one token.
  if (registrationToken === '' || request.repeatedHeaders.has('authorization'))
    throw refuse('registration_token_invalid')
  const [client, digest] = await Promise.all([storage.clients.find(clientId(id)), digestSecret(registrationToken)])
  const permission = client?.selfManagement as SelfManagement | undefined
  if (client === undefined || permission?.tokenDigest !== digest) throw refuse('registration_token_invalid')
  if (client.disabledAt !== undefined) throw refuse('client_disabled')
  return { client, permission, registrationToken }
}

/** Returns the current registration (RFC 7592 §2.1). The secret is not stored, so it is not returned again. */
export const readRegistration = ({ client, registrationToken }: Registrant, deps: Dependencies): ServerResponse =>
  json(200, registrationResponse({ client, registrationToken, clientSecret: undefined }, deps), noStore)

/** Replaces the metadata (RFC 7592 §2.2). Members that are left out get their defaults. */
export async function replaceRegistration(
  request: ServerRequest,
  { client, permission, registrationToken }: Registrant,
  deps: Dependencies,
): Promise<ServerResponse> {
  const now = deps.clock()
  const decision = await deps.limit.consume(`client ${client.clientId}`, now)
  if (!decision.allowed) throw refuse('too_many_requests', { retryAfter: decision.retryAfter })
  const body = readBody(request)
  await refuseOtherIdentity(body, client)

  const statement = permission.statementIssuer === null ? undefined : body['software_statement']
  if (permission.statementIssuer !== null && statement === undefined) throw refuse('statement_missing')
  const verified = statement === undefined ? undefined : await verifyStatement(statement, now, deps)
  if (verified !== undefined && verified.issuer.issuer !== permission.statementIssuer) throw refuse('statement_missing')

  const metadata = limitRegistration(readMetadata({ ...body, ...verified?.claims }), permission)
  const { version } = client
  const selfManagement = { ...permission, statementMembers: Object.keys(verified?.claims ?? {}) }
  const target = { clientId: client.clientId, version, selfManagement }
  const updated = await updateOwnRegistration(target, toClientChange(metadata), deps)
  if (updated.outcome === 'absent') throw refuse('registration_token_invalid')
  if (updated.outcome === 'conflict') throw refuse('client_changed')
  deps.journal.record(request, { type: 'client.changed', clientId: client.clientId })
  return json(200, registrationResponse({ ...updated, registrationToken, statement }, deps), noStore)
}

/** Removes the client (RFC 7592 §2.3). */
export async function removeRegistration(
  request: ServerRequest,
  { client }: Registrant,
  deps: Dependencies,
): Promise<ServerResponse> {
  const { outcome } = await deps.storage.clients.remove(client.clientId, deps.clock())
  if (outcome === 'absent') throw refuse('registration_token_invalid')
  deps.journal.record(request, { type: 'client.removed', clientId: client.clientId })
  return { status: 204, headers: noStore, body: '' }
}

/**
 * Refuses a body that does not name the client, or that contains members which only the server sets (RFC 7592 §2.2).
 */
async function refuseOtherIdentity(body: JsonObject, { clientId: id, secrets }: ClientRecord): Promise<void> {
  if (body['client_id'] !== id) throw invalid('client_id must be the identifier of this client.')
  const chosen = serverMembers.find((name) => body[name] !== undefined)
  if (chosen !== undefined) throw invalid(`${chosen} must be left out.`)
  const secret = body['client_secret']
  if (secret === undefined) return
  const digest = typeof secret === 'string' ? await digestSecret(secret) : undefined
  if (!secrets.some((own) => own.digest === digest)) throw invalid('client_secret is not the secret of this client.')
}

const serverMembers = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
]

const invalid = (description: string): RegistrationError => refuse('metadata_invalid', { description })
