import type { KeyDescription } from '@mintmark/core/internal'
import type { AdminStorage } from '@mintmark/storage-interface'

import { CommandError } from '../command-error.ts'
import { durationText } from '../command/options.ts'
import { openKeyRing, viewKeyRing, readSealingKey } from '../config/key-ring.ts'
import { type DoctorTarget, type Finding, endpointOf, fail, ok, warn } from './target.ts'

/** Checks the published keys: RFC 7517 §5, RFC 9111 §5.2.2.1. */
export async function checkKeys(target: DoctorTarget): Promise<readonly Finding[]> {
  const answer = await target.probe(endpointOf(target, 'jwks_uri', '/jwks'))
  const keys = answer?.json?.['keys']
  if (answer === undefined || !Array.isArray(keys) || keys.length === 0) {
    return [
      fail(
        'keys.published',
        'There are no keys at the jwks_uri in the metadata.',
        'Have the proxy forward /jwks to Mintmark, and check the server’s log: its sealing key may be wrong.',
      ),
    ]
  }
  const published = keys.filter(isRecord)
  const maxAge = Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control') ?? '')?.[1] ?? Number.NaN)
  return [privateFinding(published), cacheFinding(maxAge, announceOf(target))]
}

/** Returns the identifiers of the keys that the server publishes. */
async function publishedKids(target: DoctorTarget): Promise<readonly unknown[]> {
  const answer = await target.probe(endpointOf(target, 'jwks_uri', '/jwks'))
  const keys = answer?.json?.['keys']
  return Array.isArray(keys) ? keys.filter(isRecord).map((key) => key['kid']) : []
}

/** Checks that no published key has a member of a private key (RFC 7517 §9.2). */
function privateFinding(keys: readonly Readonly<Record<string, unknown>>[]): Finding {
  const isPrivate = keys.some((key) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'priv'].some((member) => member in key))
  if (isPrivate)
    return fail(
      'keys.published',
      'A private key is published.',
      'Drop every key immediately (mintmark keys drop), and find out what publishes private keys.',
    )
  return ok('keys.published', `${keys.length} public ${keys.length === 1 ? 'key is' : 'keys are'} published.`)
}

function cacheFinding(maxAge: number, announce: number): Finding {
  if (Number.isNaN(maxAge))
    return warn(
      'keys.cache',
      'Caches may keep the keys for any length of time.',
      'Do not remove the server’s Cache-Control from /jwks.',
    )
  if (maxAge < announce)
    return ok(
      'keys.cache',
      `Caches keep the keys for ${maxAge} seconds, which is shorter than the announcement time of a new key.`,
    )
  const fix = `Remove the caching rule of the proxy: /jwks may be cached for less than ${announce} seconds, the announcement time of a new key.`
  return fail(
    'keys.cache',
    `Caches may keep the keys for ${maxAge} seconds, so a new key would sign before all clients have it.`,
    fix,
  )
}

/** Returns the announcement time of a new key: the configured one, or a day. */
const announceOf = ({ settings }: DoctorTarget): number => settings.keys.schedule?.announce ?? 86_400

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Compares the keys in storage with the published ones, and checks their age and the sealing key. */
export async function checkStoredKeys(target: DoctorTarget): Promise<readonly Finding[]> {
  const { storage, settings, io } = target
  if (storage === undefined) return []
  const ring = viewKeyRing(storage, settings, io)
  const keys = (await ring.list()).filter(({ state }) => state !== 'dropped')
  if (keys.length === 0)
    return [
      warn(
        'keys.stored',
        'There are no keys in storage yet.',
        'Start the server, whose first request creates keys. If it is running, check that this is its database.',
      ),
    ]

  return [
    overlapFinding(keys, await publishedKids(target)),
    ...keys.filter(({ state }) => state === 'signing').map((key) => ageFinding(key, keys, ring.settings.schedule.sign)),
    ...(await sealingFindings(target, storage)),
  ]
}

function overlapFinding(keys: readonly KeyDescription[], kids: readonly unknown[]): Finding {
  const missing = keys.filter(({ keyId }) => !kids.includes(keyId))
  const unknown = kids.filter((kid) => !keys.some(({ keyId }) => keyId === kid))
  if (missing.length === 0 && unknown.length === 0)
    return ok('keys.overlap', 'The published keys are the active keys in storage.')
  return fail(
    'keys.overlap',
    `The published keys are not the active keys in storage: ${missing.length} missing, ${unknown.length} unknown.`,
    'Check that this is the server’s database and issuer, and that no cache keeps /jwks for too long.',
  )
}

function ageFinding({ algorithm, age }: KeyDescription, keys: readonly KeyDescription[], sign: number): Finding {
  const check = `keys.age.${algorithm}`
  const hasSuccessor = keys.some((key) => key.algorithm === algorithm && key.state === 'announced')
  if (age <= sign || hasSuccessor)
    return ok(
      check,
      `The ${algorithm} key is ${durationText(age)} old${hasSuccessor ? ', and its successor is announced' : ''}.`,
    )
  return warn(
    check,
    `The ${algorithm} key is ${durationText(age)} old, and no successor is announced.`,
    'Run mintmark keys rotate every day from cron, or set rotation: automatic in createStoredKeys.',
  )
}

async function sealingFindings(target: DoctorTarget, storage: AdminStorage): Promise<readonly Finding[]> {
  const { settings, io } = target
  if ((await readSealingKey(settings, io)) === undefined) return []
  try {
    // `signer` would create a missing key, and doctor must not change keys.
    await (await openKeyRing(storage, settings, io)).ready()
    return [ok('keys.sealing', 'The sealing key opens the signing keys.')]
  } catch (error) {
    const problem = error instanceof CommandError ? error.message : 'The sealing key does not open the signing keys.'
    return [fail('keys.sealing', problem, 'Use the server’s sealing key. The server cannot sign without it.')]
  }
}
