import type { AdminStorage, ClientRecord } from '@mintmark/storage-interface'
import type { IdentityProviderRecord } from '@mintmark/storage-interface/stores'

import { type DoctorTarget, type Finding, fail, ok, warn } from './target.ts'

/** Checks what IPSIE demands beyond the rules that other profiles share: OpenID Connect SL1, and SCIM AL1 and AL2. */
export async function ipsieFindings(target: DoctorTarget): Promise<readonly Finding[]> {
  return [
    await registrationFinding(target),
    target.metadata['client_id_metadata_document_supported'] === true
      ? warn(
          'profile.documents',
          'Clients may describe themselves; a client with the profile must be registered (IPSIE SL1 §3.2.1).',
          'Turn clientDocuments off, unless other clients need it.',
        )
      : ok('profile.documents', 'Clients must be registered.'),
    Array.isArray(target.metadata['acr_values_supported'])
      ? ok('profile.acr', 'The authentication context classes are published.')
      : warn(
          'profile.acr',
          'The metadata has no acr_values_supported, although every ID token has an acr (IPSIE SL1 §3.2.1).',
          'Set discovery.acrValues to the classes that the sign-in page reports.',
        ),
    ...(target.storage === undefined ? [] : await directoryFindings(target.storage)),
  ]
}

/** IPSIE SL1 §3.2.1: nobody registers a client without a permission. */
async function registrationFinding({ metadata, probe }: DoctorTarget): Promise<Finding> {
  const url = metadata['registration_endpoint']
  if (typeof url !== 'string') return ok('profile.registration', 'Only administrators register clients.')
  const headers = { 'content-type': 'application/json' }
  const answer = await probe(url, { method: 'POST', headers, body: '{}' })
  return answer?.status === 401
    ? ok('profile.registration', 'Clients need a permission to register.')
    : fail(
        'profile.registration',
        'The registration endpoint does not refuse a request without a permission.',
        'Turn registration without an initial access token off.',
      )
}

/** IPSIE SCIM, Authentication and Authorization: directories send access tokens of clients with a key, and nothing else. */
async function directoryFindings(storage: AdminStorage): Promise<readonly Finding[]> {
  const problems: string[] = []
  let last: IdentityProviderRecord | undefined
  do {
    const page = await storage.identityProviders.list({ after: last?.providerId, limit: 100 })
    for (const provider of page) problems.push(...(await problemsOf(provider, storage)))
    last = page.length === 100 ? page.at(-1) : undefined
  } while (last !== undefined)
  if (problems.length === 0) return [ok('profile.directories', 'Every directory uses client credentials with a key.')]
  const more = problems.length > shown ? ` And ${problems.length - shown} more.` : ''
  return [
    fail(
      'profile.directories',
      `${problems.slice(0, shown).join(' ')}${more}`,
      'Register each directory with secret: false and a client with private_key_jwt, client_credentials and the scope scim, and revoke its secrets.',
    ),
  ]
}

async function problemsOf(provider: IdentityProviderRecord, storage: AdminStorage): Promise<readonly string[]> {
  const { providerId, secrets, clientIds } = provider
  const clients = await Promise.all(clientIds.map((id) => storage.clients.find(id)))
  return [
    ...(secrets.length > 0 ? [`The directory ${providerId} has a Secret Token.`] : []),
    ...(clientIds.length === 0 ? [`The directory ${providerId} has no client.`] : []),
    ...clientIds
      .filter((_, index) => clients[index] === undefined)
      .map((id) => `The client ${id} of the directory ${providerId} does not exist.`),
    ...clients
      .filter((client) => client !== undefined && !isForScimOnly(client))
      .map((client) => `The client ${client?.clientId} of the directory ${providerId} has no key, or may do more.`),
  ]
}

const isForScimOnly = ({ tokenEndpointAuthMethod, grantTypes, scopes }: ClientRecord): boolean =>
  tokenEndpointAuthMethod === 'private_key_jwt' &&
  grantTypes.join() === 'client_credentials' &&
  scopes.join() === 'scim'

/** How many problems the finding lists. */
const shown = 5
