import { fail, ok, type Finding } from './finding.ts'
import { endpointOf, type DoctorTarget } from './patient.ts'
import type { Answer } from './probe.ts'

/** Refusals as the standards have them, through whatever stands in front: RFC 6749 §5.2, RFC 6750 §3. */
export async function checkErrors(patient: DoctorTarget): Promise<readonly Finding[]> {
  const form = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=doctor',
  }
  const [token, userinfo, authorization] = await Promise.all([
    patient.probe(endpointOf(patient, 'token_endpoint', '/token'), form),
    patient.probe(endpointOf(patient, 'userinfo_endpoint', '/userinfo')),
    patient.probe(endpointOf(patient, 'authorization_endpoint', '/auth')),
  ])
  return [
    finding(
      'errors.token',
      isTokenError(token),
      'The token endpoint refuses with an error in JSON that nobody stores.',
    ),
    finding(
      'errors.userinfo',
      userinfo?.status === 401 && challenges(userinfo),
      'Userinfo refuses with 401 and says that it wants a bearer token.',
    ),
    finding(
      'errors.page',
      isErrorPage(authorization),
      'The authorization endpoint refuses with a page that no other site can frame.',
    ),
    leakFinding([token, userinfo, authorization]),
  ]
}

const isTokenError = (answer: Answer | undefined): boolean =>
  answer !== undefined &&
  (answer.status === 400 || answer.status === 401) &&
  typeof answer.json?.['error'] === 'string' &&
  contentType(answer).startsWith('application/json') &&
  (answer.headers.get('cache-control') ?? '').includes('no-store')

/** RFC 9700 §4.16: framed, it would be clicked on unseen. */
const isErrorPage = (answer: Answer | undefined): boolean =>
  answer?.status === 400 &&
  contentType(answer).startsWith('text/html') &&
  ((answer.headers.get('content-security-policy') ?? '').includes('frame-ancestors') ||
    answer.headers.has('x-frame-options'))

const challenges = ({ headers }: Answer): boolean => /^Bearer\b/i.test(headers.get('www-authenticate') ?? '')

const contentType = ({ headers }: Answer): string => headers.get('content-type') ?? ''

const finding = (check: 'errors.token' | 'errors.userinfo' | 'errors.page', holds: boolean, rule: string): Finding =>
  holds
    ? ok(check, rule)
    : fail(
        check,
        `Not so: ${rule}`,
        'Let the server’s own answers through: no error pages of the proxy, no middleware that changes status, headers or body.',
      )

function leakFinding(answers: readonly (Answer | undefined)[]): Finding {
  if (answers.every((answer) => answer === undefined || !/\n\s+at .+[:(]/.test(answer.text)))
    return ok('errors.detail', 'Refusals show nothing of the inside.')
  return fail(
    'errors.detail',
    'A refusal shows a stack trace.',
    'Start the host with NODE_ENV=production, and give it an error handler that says nothing.',
  )
}
