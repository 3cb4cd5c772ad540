import { fail, ok, warn, type Finding } from './finding.ts'
import { endpointOf, type DoctorTarget } from './patient.ts'

/** The published keys: RFC 7517 §5, RFC 9111 §5.2.2.1. */
export async function checkKeys(patient: DoctorTarget): Promise<readonly Finding[]> {
  const answer = await patient.probe(endpointOf(patient, 'jwks_uri', '/jwks'))
  const keys = answer?.json?.['keys']
  if (answer === undefined || !Array.isArray(keys) || keys.length === 0) {
    return [
      fail(
        'keys.published',
        'There are no keys at the address that the metadata names.',
        'Have the proxy pass /jwks on, and look into the server’s log: its sealing key may be another one.',
      ),
    ]
  }
  const published = keys.filter(isRecord)
  const maxAge = Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control') ?? '')?.[1] ?? Number.NaN)
  return [privateFinding(published), cacheFinding(maxAge, announceOf(patient))]
}

/** The identifiers of the keys that a server publishes. */
export async function publishedKids(patient: DoctorTarget): Promise<readonly unknown[]> {
  const answer = await patient.probe(endpointOf(patient, 'jwks_uri', '/jwks'))
  const keys = answer?.json?.['keys']
  return Array.isArray(keys) ? keys.filter(isRecord).map((key) => key['kid']) : []
}

/** RFC 7517 §9.2: the private members of every kind of key. */
function privateFinding(keys: readonly Readonly<Record<string, unknown>>[]): Finding {
  const isPrivate = keys.some((key) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'priv'].some((member) => member in key))
  if (isPrivate)
    return fail(
      'keys.published',
      'A private key is published.',
      'Drop every key at once (mintmark keys drop), and find what publishes them.',
    )
  return ok('keys.published', `${keys.length} public ${keys.length === 1 ? 'key is' : 'keys are'} published.`)
}

function cacheFinding(maxAge: number, announce: number): Finding {
  if (Number.isNaN(maxAge))
    return warn(
      'keys.cache',
      'The keys may be kept for any time.',
      'Let the server’s own Cache-Control through for /jwks.',
    )
  if (maxAge < announce)
    return ok(
      'keys.cache',
      `A copy of the keys is kept for ${maxAge} seconds, which is shorter than a new key is announced.`,
    )
  const mend = `Let a copy of /jwks live shorter than the announcement of a key, ${announce} seconds: remove the proxy’s own caching rule.`
  return fail(
    'keys.cache',
    `A copy of the keys may be kept for ${maxAge} seconds, so that a new key signs before everybody has it.`,
    mend,
  )
}

/** How long a new key is announced: as configured, or a day. */
const announceOf = ({ settings }: DoctorTarget): number => settings.keys.schedule?.announce ?? 86_400

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
