import { clientRequests } from '../processes/client-requests.ts'
import { issuer, partner } from '../processes/server-config.ts'
import { signEs256, writeJws } from '../support/forge-jwt.ts'
import type { LoadPlan, Step } from './load.ts'

/** In seconds. */
const lifetime = 240

/** An assertion that a server has accepted. Its `jti` makes it acceptable once (RFC 7523 §3). */
interface Accepted {
  readonly assertion: string
  readonly expiresAt: number
}

/**
 * Workers that present assertions, and present accepted ones again.
 * @param privateKey the key of `partner`.
 */
export function assertionLoad(privateKey: CryptoKey): { readonly steps: readonly Step[]; readonly verify: Step } {
  const accepted: Accepted[] = []
  let last = 0

  const present: Step = async ({ site, ask }) => {
    last += 1
    const now = epochNow()
    const claims = { iss: partner, sub: 'U1', aud: issuer, iat: now, exp: now + lifetime, scope: 'api.read' }
    const header = { alg: 'ES256', kid: 'k1', typ: 'JWT' }
    const assertion = await writeJws(header, { ...claims, jti: `load-${last}` }, signEs256(privateKey))
    const { reply } = await ask('expiring', (port) => clientRequests(site.clients).present(port, assertion))
    if (reply.status === 200) accepted.push({ assertion, expiresAt: now + lifetime })
  }

  const presentAgain: Step = async (plan) => {
    const [used] = accepted.splice(Math.floor(plan.random() * accepted.length), 1)
    if (used !== undefined) await requireRefusal(used, plan)
  }

  return {
    steps: [present, present, presentAgain],
    verify: async (plan) => {
      for (const used of accepted) await requireRefusal(used, plan)
    },
  }
}

async function requireRefusal({ assertion, expiresAt }: Accepted, { site, ask, ledger }: LoadPlan): Promise<void> {
  if (expiresAt < epochNow() + 5) return
  const { reply } = await ask('expiring', (port) => clientRequests(site.clients).present(port, assertion))
  if (reply.status !== 400) ledger.doubled.push(`one assertion was accepted twice: ${reply.status}`)
}

const epochNow = (): number => Math.floor(Date.now() / 1000)
