import { digestSecret } from '@mintmark/core/runtime'
import type { AdminStorage } from '@mintmark/storage-interface'

import { readSealingKey } from '../place/sealing-key.ts'
import { fail, ok, warn, type Finding } from './finding.ts'
import type { DoctorTarget } from './patient.ts'

/** Secrets that anybody can guess, and what came from an example (RFC 6819 §5.1.5.2, RFC 9700 §2.5). */
export async function checkSecrets(patient: DoctorTarget): Promise<readonly Finding[]> {
  const { storage, issuer } = patient
  return [
    ...(await sealingKeyFindings(patient)),
    ...(storage === undefined ? [] : [await guessableFinding(storage)]),
    ...(storage === undefined || issuer.startsWith('http:') ? [] : [await exampleFinding(storage)]),
  ]
}

async function sealingKeyFindings({ settings, io }: DoctorTarget): Promise<readonly Finding[]> {
  const [sealingKey] = (await readSealingKey(settings, io)) ?? []
  if (sealingKey === undefined) return []
  // Of 32 random bytes about 30 are different; fewer than 16 come up never.
  const distinct = new Set(Buffer.from(sealingKey, 'base64url')).size
  if (distinct >= 16) return [ok('secrets.sealing_key', 'The sealing key looks random.')]
  return [
    fail(
      'secrets.sealing_key',
      'The sealing key is no random one: it repeats itself.',
      'Make another, node -p "crypto.randomBytes(32).toString(\'base64url\')", and put it before the old one.',
    ),
  ]
}

async function guessableFinding(storage: AdminStorage): Promise<Finding> {
  const guesses = new Set<string>(await Promise.all(guessable.map(digestSecret)))
  const [clients, providers] = await firstOf(storage)
  const weak = [
    ...clients
      .filter(({ secrets }) => secrets.some(({ digest }) => guesses.has(digest)))
      .map(({ clientId }) => clientId),
    ...providers
      .filter(({ secrets }) => secrets.some(({ digest }) => guesses.has(digest)))
      .map(({ providerId }) => providerId),
  ]
  if (weak.length === 0)
    return ok('secrets.guessable', 'No client and no identity provider has a secret from a textbook.')
  return fail(
    'secrets.guessable',
    `A secret from a textbook is in use: ${weak.join(', ')}.`,
    'Give them new ones: mintmark client secret rotate and end, mintmark idp rotate and end-secrets.',
  )
}

async function exampleFinding(storage: AdminStorage): Promise<Finding> {
  const [clients, providers] = await firstOf(storage)
  const left = [
    ...clients
      .filter(({ clientId, disabledAt }) => disabledAt === undefined && exampleClients.has(clientId))
      .map(({ clientId }) => clientId),
    ...providers
      .filter(({ providerId, disabledAt }) => disabledAt === undefined && providerId === exampleProvider)
      .map(({ providerId }) => providerId),
  ]
  if (left.length === 0) return ok('secrets.examples', 'Nothing of the examples is registered.')
  return warn(
    'secrets.examples',
    `What the examples register is in use here: ${left.join(', ')}.`,
    'Disable them (mintmark client disable, mintmark idp disable): their secrets lie in files of the example.',
  )
}

/** They are looked at as far as it stays quick. */
const firstOf = ({ clients, identityProviders }: AdminStorage) =>
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
