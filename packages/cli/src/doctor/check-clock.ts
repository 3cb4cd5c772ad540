import { fail, ok, warn, type Finding } from './finding.ts'
import { discoveryUrls } from './check-discovery.ts'
import type { DoctorTarget } from './patient.ts'

/** The server's clock against this machine's: tokens are dated (RFC 7519 §4.1.4 leaves a few minutes of leeway to others). */
export async function checkClock({ issuer, probe, io }: DoctorTarget): Promise<readonly Finding[]> {
  const before = io.clock()
  const answer = await probe(discoveryUrls(issuer).openid)
  const after = io.clock()
  if (answer === undefined) return []

  const date = Date.parse(answer.headers.get('date') ?? '') / 1000
  if (!Number.isFinite(date))
    return [warn(check, 'The server does not say what time it is.', 'Have the proxy or the host send the Date header.')]
  // Its second may have begun just before the request, and this machine's just after.
  const skew = Math.max(0, before - 1 - date, date - after - 1)
  if (skew <= 2) return [ok(check, 'The server’s clock and this machine’s agree.')]
  const what = `The server’s clock and this machine’s are ${Math.round(skew)} seconds apart.`
  return [skew > 30 ? fail(check, what, mend) : warn(check, what, mend)]
}

const check = 'clock.skew'
const mend =
  'Run a time service (NTP) on both machines: tokens of a wrong clock are refused as expired or as not valid yet.'
