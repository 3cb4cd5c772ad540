import { digestSecret } from '@mintmark/internal'
import type { AdminStorage } from '@mintmark/storage-interface'

import { readSealingKey } from '../config/key-ring.ts'
import { type DoctorTarget, type Finding, fail, ok, warn } from './target.ts'

/**
 * Checks for secrets that are easy to guess, for clients that do not have to use PKCE, and for registrations of the
 * examples (RFC 6819 §5.1.5.2, RFC 9700 §2.1.1, §2.5).
 */
export async function checkSecrets(target: DoctorTarget): Promise<readonly Finding[]> {
  const { storage, issuer } = target
  return [
    ...(await sealingKeyFindings(target)),
    ...(storage === undefined ? [] : [await guessableFinding(storage), await pkceFinding(storage)]),
    ...(storage === undefined || issuer.startsWith('http:') ? [] : [await exampleFinding(storage)]),
  ]
}

async function sealingKeyFindings({ settings, io }: DoctorTarget): Promise<readonly Finding[]> {
  const [sealingKey] = (await readSealingKey(settings, io)) ?? []
  if (sealingKey === undefined) return []
  // 32 random bytes have about 30 different values, and practically never fewer than 16.
  const distinct = new Set(Buffer.from(sealingKey, 'base64url')).size
  if (distinct >= 16) return [ok('secrets.sealing_key', 'The sealing key looks random.')]
  return [
    fail(
      'secrets.sealing_key',
      'The sealing key is not random: its bytes repeat.',
      'Create another one with node -p "crypto.randomBytes(32).toString(\'base64url\')", and put it before the old one.',
    ),
  ]
}

async function guessableFinding(storage: AdminStorage): Promise<Finding> {
  const guesses = new Set<string>(await Promise.all(guessable.map(async (secret) => digestSecret(secret))))
  const [clients, providers] = await readFirst(storage)
  const weak = [
    ...clients
      .filter(({ secrets }) => secrets.some(({ digest }) => guesses.has(digest)))
      .map(({ clientId }) => clientId),
    ...providers
      .filter(({ secrets }) => secrets.some(({ digest }) => guesses.has(digest)))
      .map(({ providerId }) => providerId),
  ]
  if (weak.length === 0) return ok('secrets.guessable', 'No client and no identity provider has a well-known secret.')
  return fail(
    'secrets.guessable',
    `A well-known secret is in use: ${weak.join(', ')}.`,
    'Replace them: mintmark client secret rotate and revoke, mintmark idp rotate and revoke-secrets.',
  )
}

async function pkceFinding(storage: AdminStorage): Promise<Finding> {
  const [clients] = await readFirst(storage)
  const without = clients.filter(
    ({ disabledAt, grantTypes, tokenEndpointAuthMethod, requirePkce }) =>
      disabledAt === undefined &&
      grantTypes.includes('authorization_code') &&
      tokenEndpointAuthMethod !== 'none' &&
      !requirePkce,
  )
  if (without.length === 0) return ok('clients.pkce', 'Every client that signs users in is required to use PKCE.')
  return warn(
    'clients.pkce',
    `Clients that are not required to use PKCE: ${without.map(({ clientId }) => clientId).join(', ')}.`,
    'Turn PKCE on in each client that supports it. Then set requirePkce with PATCH /clients/<id> of the admin API, or with updateClient.',
  )
}

async function exampleFinding(storage: AdminStorage): Promise<Finding> {
  const [clients, providers] = await readFirst(storage)
  const left = [
    ...clients
      .filter(({ clientId, disabledAt }) => disabledAt === undefined && exampleClients.has(clientId))
      .map(({ clientId }) => clientId),
    ...providers
      .filter(({ providerId, disabledAt }) => disabledAt === undefined && providerId === exampleProvider)
      .map(({ providerId }) => providerId),
  ]
  if (left.length === 0) return ok('secrets.examples', 'No client or identity provider of the examples is registered.')
  return warn(
    'secrets.examples',
    `Registrations of the examples are in use: ${left.join(', ')}.`,
    'Disable them (mintmark client disable, mintmark idp disable): their secrets are public.',
  )
}

/** Reads a limited number of clients and providers, so that the check stays fast. */
const readFirst = ({ clients, identityProviders }: AdminStorage) =>
  Promise.all([
    clients.list({ after: undefined, limit: 1000 }),
    identityProviders.list({ after: undefined, limit: 1000 }),
  ])

const guessable = [
  'secret',
  'changeme',
  'change-me',
  'password',
  'client-secret',
  'client_secret',
  'clientsecret',
  'my-secret',
  'mysecret',
  'test',
  'demo',
  'admin',
  '123456',
  '',
]

const exampleClients: ReadonlySet<string> = new Set(['pocket-notes', 'my-app'])
const exampleProvider = 'example-corp'
