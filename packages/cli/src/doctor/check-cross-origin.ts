import { discoveryUrls } from './check-discovery.ts'
import { fail, ok, warn, type Finding } from './finding.ts'
import { endpointOf, type DoctorTarget } from './patient.ts'
import type { Answer } from './probe.ts'

/** Which answers the scripts of other origins may read (Fetch §3.3, RFC 9700 §2.6). */
export async function checkCrossOrigin(patient: DoctorTarget): Promise<readonly Finding[]> {
  const { probe } = patient
  const headers = { origin }
  const post = {
    method: 'POST',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=authorization_code',
  }
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }
  const token = endpointOf(patient, 'token_endpoint', '/token')
  const answers = await Promise.all([
    probe(discoveryUrls(patient.issuer).openid, { headers }),
    probe(endpointOf(patient, 'jwks_uri', '/jwks'), { headers }),
    probe(token, post),
    probe(token, preflight),
    probe(endpointOf(patient, 'userinfo_endpoint', '/userinfo'), { headers }),
    probe(endpointOf(patient, 'authorization_endpoint', '/auth'), { headers }),
  ])
  const [discovery, jwks, tokenAnswer, , userinfo, authorization] = answers
  return [
    publicFinding([discovery, jwks]),
    credentialsFinding(answers),
    privateFinding({ '/token': tokenAnswer, '/userinfo': userinfo, '/auth': authorization }),
  ]
}

function publicFinding(documents: readonly (Answer | undefined)[]): Finding {
  if (documents.every((answer) => allowed(answer) === '*' || allowed(answer) === origin)) {
    return ok('cors.public', 'Scripts of any origin may read the public documents.')
  }
  return warn(
    'cors.public',
    'Clients in browsers cannot read discovery or the keys.',
    'Let the server’s own Access-Control-Allow-Origin: * through for /.well-known and /jwks.',
  )
}

/** Fetch §3.3.3: with credentials, any site could act with a person’s cookies. */
function credentialsFinding(answers: readonly (Answer | undefined)[]): Finding {
  if (answers.every((answer) => answer?.headers.get('access-control-allow-credentials') !== 'true')) {
    return ok('cors.credentials', 'No answer is shared with a browser’s cookies.')
  }
  return fail(
    'cors.credentials',
    'Answers are shared with scripts of a foreign origin together with a browser’s cookies.',
    'Take Access-Control-Allow-Credentials away, from the proxy and from middleware in front of Mintmark: it answers preflights itself.',
  )
}

/** Nobody registered the origin that asks. */
function privateFinding(answers: Readonly<Record<string, Answer | undefined>>): Finding {
  const open = Object.entries(answers)
    .filter(([, answer]) => allowed(answer) !== null)
    .map(([path]) => path)
  if (open.length === 0) return ok('cors.private', 'An origin that no client registered reads no tokens.')
  return fail(
    'cors.private',
    `An origin that no client registered may read the answers of ${open.join(', ')}.`,
    'Remove CORS middleware and proxy headers in front of Mintmark: it knows which origins its clients registered.',
  )
}

const allowed = (answer: Answer | undefined): string | null =>
  answer?.headers.get('access-control-allow-origin') ?? null

const origin = 'https://doctor.invalid'
