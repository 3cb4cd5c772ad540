import type { Change } from './flow.ts'
import { signEs256, writeJws, type SignBytes } from './forge-jwt.ts'
import type { ReachableServer } from './server-under-test.ts'

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** How an assertion of client B differs from a valid one. A claim set to `undefined` is left out. */
export interface AssertionChange {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly sign?: SignBytes
}

let assertionCount = 0

/** Signs a client assertion of client B (RFC 7523 §3), valid except for the changes. */
export function writeAssertion(site: ReachableServer, change: AssertionChange = {}): Promise<string> {
  const now = site.clock.now()
  assertionCount += 1
  const claims = { iss: 'B', sub: 'B', aud: site.issuer, exp: now + 60, iat: now, jti: `assertion-${assertionCount}` }
  return writeJws(
    { alg: 'ES256', typ: 'JWT', kid: 'b1', ...change.header },
    { ...claims, ...change.claims },
    change.sign ?? signEs256(site.clients.B.privateKey),
  )
}

/** Returns the form parameters with which B authenticates. */
export async function assertionOf(site: ReachableServer, change: AssertionChange = {}): Promise<Change> {
  return { client_assertion_type: assertionType, client_assertion: await writeAssertion(site, change) }
}
